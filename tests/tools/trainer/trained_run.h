#pragma once
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/run_program.h"
#include "tests/trainer/fit/drawn_store.h"

namespace letterpress {

/// letterpress-trainer with these words.
inline ProgramResult trainer(std::vector<std::string> words) {
  words.insert(words.begin(), program_path("letterpress-trainer"));
  return run(words);
}

/// What is said of an output that run_with_small_files() did not let through, and with which exit
/// code.
inline void check_named_as_too_large(const ProgramResult& result,
                                     const std::filesystem::path& output) {
  CHECK(result.exit_code == 74);
  const std::string wanted =
      output.string() +
      ": cannot be written: File too large; raise the limit of a file's size (ulimit -f)\n";
  CHECK_MESSAGE(result.err.ends_with(wanted), result.err);
  CHECK_FALSE(std::filesystem::exists(output));
}

/// A folder with a drawn store, in which `fit` may run.
struct TrainerBench {
  TempDir folder;
  explicit TrainerBench(const DrawnStore& drawn = {.train = 8, .val = 3}) {
    drawn.publish(folder / "store");
  }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::vector<std::string> fit_words(const std::string& run,
                                     std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"fit",     "--store",  path("store"), "--out",
                                   path(run), "--batch",  "4",           "--epochs",
                                   "1",       "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

}  // namespace letterpress
