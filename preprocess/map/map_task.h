#pragma once
#include <filesystem>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"
#include "letterpress/base/stop_request.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// A picture or a shard to copy from is missing or has other bytes than when it was planned: no
/// reject, the plan is out of date. Or it cannot be read now, which another plan would know. Exit
/// busy.
class InputChanged : public Error {
 public:
  explicit InputChanged(Message message, Exit cause = Exit::data)
      : Error(std::move(message), Exit::busy), cause_(cause) {}
  /// io: it cannot be read now, and the plan may still be right.
  Exit cause() const noexcept { return cause_; }

 private:
  Exit cause_;
};

/// What map works on. All of it is the caller's, outlives the call.
struct MapTask {
  const Store& store;
  const Plan& plan;
  Hash128 digest;  ///< of the plan
  const Recipe& recipe;
  /// Of the store's file system, for unfinished files.
  std::filesystem::path temporary_folder;
  const StopRequest& stop;
};

}  // namespace letterpress
