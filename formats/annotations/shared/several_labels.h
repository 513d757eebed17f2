#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace letterpress::annotations {

/// Boxes with more labels than the one that is their class: a guess is told.
class SeveralLabels {
 public:
  /// The first label; "" where there is none.
  std::string first_of(const std::vector<std::string>& labels);
  void add_to(std::vector<std::string>& remarks) const;

 private:
  std::int64_t boxes_ = 0;
  std::string example_;
};

}  // namespace letterpress::annotations
