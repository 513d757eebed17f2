#include "preprocess/inputs/note_truncated.h"

#include <fmt/format.h>

namespace letterpress {

void note_truncated(const Inputs& inputs, BuildListener& listener) {
  std::int64_t n = 0;
  const Candidate* first = nullptr;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.truncated || !candidate.stored()) continue;
    ++n;
    if (first == nullptr) first = &candidate;
  }
  if (n == 0) return;
  listener.note(fmt::format(
      "JPEGs that end early: {}, such as {}; they are kept by --truncated keep, what is "
      "missing is grey; copy them again to have it",
      n, picture_path(first->item)));
}

}  // namespace letterpress
