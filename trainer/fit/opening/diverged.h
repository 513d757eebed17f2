#pragma once
#include "letterpress/base/error.h"

namespace letterpress {

/// A training that cannot go on: its loss or, for many steps, its gradients are not finite, or no
/// box becomes a target. To resume it would end in the same way.
class Diverged : public Error {
 public:
  explicit Diverged(Message message) : Error(std::move(message), Exit::data) {}
};

}  // namespace letterpress
