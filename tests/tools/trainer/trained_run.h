#pragma once
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

/// A folder with a drawn store, in which `fit` may run.
struct TrainerBench {
  TempDir folder;
  explicit TrainerBench(const DrawnStore& drawn = {.train = 8, .val = 3}) { drawn.publish(folder / "store"); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::vector<std::string> fit_words(const std::string& run, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"fit", "--store", path("store"), "--out", path(run), "--batch", "4", "--epochs", "1", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

}  // namespace letterpress
