#pragma once
#include <string>
#include <vector>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {

/// A drawn set and the report of its store.
struct Reported {
  DrawnSet set;
  std::string store = (set.folder / "store").string(), out = (set.folder / "report.html").string();

  ProgramResult report(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"report", "--store", store, "--out", out});
    return preprocess(more);
  }
  /// Builds with these lists of train and val; the page then.
  std::string page_of(const std::string& train, const std::string& val) {
    set.list("train.txt", train);
    set.list("val.txt", val);
    REQUIRE(preprocess(build_words(set, {"--val", (set.folder / "val.txt").string()})).exit_code ==
            0);
    return page();
  }
  std::string page() const {
    REQUIRE(report().exit_code == 0);
    return file_text(out);
  }
};

}  // namespace letterpress
