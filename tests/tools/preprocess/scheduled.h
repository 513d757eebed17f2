#pragma once
#include <string>
#include <vector>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {

/// A drawn set and its store, and scripts/rebuild.sh as cron runs it, with lock files and stand-ins
/// of its own.
struct Scheduled {
  DrawnSet set;
  std::string store = (set.folder / "store").string();
  std::string program = program_path("letterpress-preprocess");

  Scheduled() { set.pictures(6); }
  void build() const { REQUIRE(preprocess(build_words(set)).exit_code == 0); }
  void add_picture() {
    set.picture("p9.png", 9);
    set.list("train.txt", file_text(set.folder / "train.txt") + DrawnSet::line(9));
  }
  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"/usr/bin/env",
                                   "LETTERPRESS_PREPROCESS=" + program,
                                   "LETTERPRESS_TRAINER=" + (set.folder / "trainer").string(),
                                   "TMPDIR=" + set.folder.path().string(),
                                   "PATH=" + set.folder.path().string() + ":/usr/bin:/bin",
                                   std::string(LETTERPRESS_SOURCE_DIR) + "/scripts/rebuild.sh"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  ProgramResult rebuild(const std::vector<std::string>& more = {}) const {
    return run(words(more));
  }
};

}  // namespace letterpress
