#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace letterpress::annotations {

/// Numbers for ids that a COCO file writes as texts. Digits are that number; any other text gets
/// one of its own far below 0, in the order of the first use.
class CocoIds {
 public:
  std::int64_t of(std::string_view text);
  std::string text(std::int64_t id) const;  ///< for messages: "17", "'img_a'"

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace letterpress::annotations
