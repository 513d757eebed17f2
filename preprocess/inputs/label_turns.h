#pragma once
#include <cstdint>
#include <string>

#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Whether boxes are meant before or after the EXIF turns of their pictures. Labels that do not say
/// so are taken as all those of a build that do, where these are before it, else as after it.
class LabelTurns {
 public:
  explicit LabelTurns(const Inputs& inputs);

  /// Of labels that do not say so.
  bool are_before() const noexcept { return before_ > 0 && after_ == 0; }
  /// A line on pictures whose labels do not say so; empty: there are none.
  std::string remark() const;

 private:
  std::int64_t before_ = 0, after_ = 0, untold_ = 0;  // pictures
};

/// Whether the picture has a turn, and its labels do not say whether they are meant before it.
bool is_turn_untold(const Candidate& candidate);

}  // namespace letterpress
