#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {

/// A drawn set and what lint says of its store.
struct Linted {
  DrawnSet set;
  std::string store = (set.folder / "store").string();

  std::string where(const std::string& list, int line) const {
    return (set.folder / list).string() + ":" + std::to_string(line);
  }
  void build(const std::vector<std::string>& more = {}) const {
    REQUIRE(preprocess(build_words(set, more)).exit_code == 0);
  }
  ProgramResult lint(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"lint", "--store", store});
    return preprocess(more);
  }
  // Findings of one kind, as JSON.
  std::vector<nlohmann::json> of(const std::string& kind,
                                 std::vector<std::string> more = {}) const {
    more.push_back("--json");
    std::vector<nlohmann::json> findings;
    const nlohmann::json all = nlohmann::json::parse(lint(more).last_line());
    for (const auto& finding : all.at("findings")) {
      if (finding.at("kind") == kind) findings.push_back(finding);
    }
    return findings;
  }
};

}  // namespace letterpress
