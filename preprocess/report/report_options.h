#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace letterpress {

/// What lint has found, for the page.
struct ReportedFindings {
  struct Kind {
    std::string name;  ///< "tiny-box"
    std::int64_t n = 0;
    std::string picture, what, fix;  ///< of the first
  };
  std::vector<Kind> kinds{};
  std::vector<std::string> leaks{};  ///< a line for each split that leaks
};

struct ReportOptions {
  std::size_t samples = 6;                     ///< pictures that are shown per split
  std::size_t rejects = 200;                   ///< how many are listed; all are in quarantine.jsonl
  std::optional<ReportedFindings> findings{};  ///< none: lint was not run
};

}  // namespace letterpress
