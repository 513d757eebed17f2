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
  std::string page() const {
    REQUIRE(report().exit_code == 0);
    return file_text(out);
  }
};

}  // namespace letterpress
