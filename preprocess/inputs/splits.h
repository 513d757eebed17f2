#pragma once
#include <memory>
#include <optional>
#include <string>

#include "letterpress/base/hash.h"
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// "0.1" and "10%" are shares of 0..1; nothing else is.
std::optional<double> parse_share(const std::string& text);

/// What decides a picture's split under --val SHARE: its bytes, or with --group its folder (as seen
/// from the label file's, so that it is the same wherever the set is mounted) or the part of its
/// name that the expression matches (its first group when it has one). A name that the expression
/// does not match is a group of its own.
class SplitKey {
 public:
  explicit SplitKey(
      const std::string& group);  ///< throws Error (usage) when the expression cannot be parsed
  Hash128 of(const Candidate& candidate, const Inputs& inputs) const;

 private:
  struct Expression;
  bool by_folder_ = false;
  std::shared_ptr<const Expression> expression_;
};

/// Moves train pictures to val whose key, as a number in 0..1, is below the share. No seed: a
/// picture never moves, whatever else comes or goes.
void assign_val_share(Inputs& inputs, double share, const std::string& group);

}  // namespace letterpress
