#pragma once
// What tests of networks of tiles share.
#include <doctest/doctest.h>

#include "tests/preprocess/pipeline/tiled_set.h"
#include "tests/tools/run_program.h"

namespace letterpress {

inline ProgramResult tool(const std::string& name, std::vector<std::string> words) {
  words.insert(words.begin(), program_path(name));
  return run(words);
}

/// 3 train pictures and 2 val pictures of 6 tiles each, in a store of tiles and one without.
struct TrainedOnTiles {
  TiledSet set;

  TrainedOnTiles() {
    set.pictures(3);
    std::string lines;
    for (const int i : {3, 4}) {
      set.picture("p" + std::to_string(i) + ".png", i);
      lines += TiledSet::line(i);
    }
    set.list("val.txt", lines);
  }
  std::string path(const std::string& name) const { return (set.folder / name).string(); }

  void build(const std::string& store, const std::vector<std::string>& more) const {
    std::vector<std::string> words{
        "build", "--store",       path(store), "--input",           path("train.txt"),
        "--val", path("val.txt"), "--classes", path("classes.txt"), "--views",
        "1"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult built = tool("letterpress-preprocess", words);
    REQUIRE_MESSAGE(built.exit_code == 0, built.err);
  }
  void fit(const std::string& store, const std::string& run,
           const std::vector<std::string>& more = {}, const std::string& epochs = "1") const {
    std::vector<std::string> words{"fit",     "--store",  path(store), "--out",
                                   path(run), "--epochs", epochs,      "--batch",
                                   "4",       "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult trained = tool("letterpress-trainer", words);
    REQUIRE_MESSAGE(trained.exit_code == 0, trained.err);
  }
  ProgramResult eval(const std::string& store, const std::string& run,
                     const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"eval",    "--store",  path(store), "--checkpoint",
                                   path(run), "--device", "cpu",       "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return tool("letterpress-trainer", words);
  }
  ProgramResult predict(const std::string& run, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"--checkpoint", path(run),  "--input",   path("p3.png"),
                                   path("p4.png"), "--out",    path("out"), "--conf",
                                   "0.001",        "--device", "cpu",       "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return tool("letterpress-predict", words);
  }
};

}  // namespace letterpress
