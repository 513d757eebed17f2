#include "preprocess/inputs/note_partly_read.h"

#include <fmt/format.h>

namespace letterpress {
namespace {

void note(const Inputs& inputs, bool Candidate::*is_one, const char* what, const char* rest,
          BuildListener& listener) {
  std::int64_t n = 0;
  const Candidate* first = nullptr;
  for (const Candidate& candidate : inputs.candidates) {
    if (!(candidate.*is_one) || !candidate.stored()) continue;
    ++n;
    if (first == nullptr) first = &candidate;
  }
  if (n == 0) return;
  listener.note(fmt::format("{}: {}, such as {}; {}", what, n, picture_path(first->item), rest));
}

}  // namespace

void note_partly_read(const Inputs& inputs, BuildListener& listener) {
  note(inputs, &Candidate::several, "pictures that hold several pages or frames",
       "only the first one is read; to have the others, save them as files of their own", listener);
  note(inputs, &Candidate::truncated, "JPEGs that end early",
       "they are kept by --truncated keep, what is missing is grey; copy them again to have it",
       listener);
}

}  // namespace letterpress
