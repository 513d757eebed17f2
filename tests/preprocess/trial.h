#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// A set with one good picture and the line under test; what the build says of it.
struct Trial {
  DrawnSet set;
  BuildReport report;

  explicit Trial(const std::function<void(DrawnSet&)>& prepare,
                 const std::function<void(BuildOptions&)>& change = {}) {
    set.pictures(1);
    prepare(set);
    BuildOptions options = set.options();
    if (change) change(options);
    report = build_quietly(options);
    // Whatever happened, the good picture is there and the accounts add up.
    CHECK(row_contents(options.store).size() >= 3);
    const Accounting& sums = report.accounting;
    CHECK(sums.pictures_found ==
          sums.pictures_stored + sums.pictures_duplicate + sums.pictures_rejected);
    CHECK(sums.boxes_found == sums.boxes_stored + sums.boxes_merged + sums.boxes_rejected);
  }

  std::string reject() const {
    return report.rejects.size() == 1 ? to_string(report.rejects[0])
                                      : std::to_string(report.rejects.size());
  }
  bool says(const std::string& text) const { return reject().find(text) != std::string::npos; }
};

}  // namespace letterpress
