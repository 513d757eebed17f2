#include "preprocess/inputs/note_first_pages.h"

#include <fmt/format.h>

namespace letterpress {

void note_first_pages(const Inputs& inputs, BuildListener& listener) {
  std::int64_t n = 0;
  const Candidate* first = nullptr;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.several || !candidate.stored()) continue;
    ++n;
    if (first == nullptr) first = &candidate;
  }
  if (n == 0) return;
  listener.note(
      fmt::format("pictures that hold several pages or frames: {}, such as {}; only the first one "
                  "is read; to have the others, save them as files of their own",
                  n, picture_path(first->item)));
}

}  // namespace letterpress
