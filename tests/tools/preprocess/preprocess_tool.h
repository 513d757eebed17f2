#pragma once
#include <string>
#include <vector>

#include "tests/preprocess/drawn_set.h"
#include "tests/tools/run_program.h"

namespace letterpress {

/// letterpress-preprocess with these words.
inline ProgramResult preprocess(std::vector<std::string> words) {
  words.insert(words.begin(), program_path("letterpress-preprocess"));
  return run(words);
}

/// A build of a drawn set, at a size.
inline std::vector<std::string> sized_build_words(const DrawnSet& set, const std::string& size) {
  return {"build",
          "--store",
          (set.folder / "store").string(),
          "--input",
          (set.folder / "train.txt").string(),
          "--classes",
          (set.folder / "classes.txt").string(),
          "--size",
          size};
}

/// The flags of a small build of a drawn set.
inline std::vector<std::string> build_words(const DrawnSet& set,
                                            const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = sized_build_words(set, "64");
  words.insert(words.end(), {"--views", "2"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace letterpress
