#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Who watches a training: no flags, and each may be empty. All but `before_read` run on the
/// training's thread.
struct FitHooks {
  std::function<void(const std::string& text)>
      note{};  ///< what happens, line by line; empty: stderr
  std::function<void(std::int64_t step)> before_step{};  ///< which step begins, from 1
  /// Seams for tests.
  std::function<void(const RowPlace& row)> before_read{};  ///< on the reader's thread
  std::function<void(std::int64_t step)> after_step{};     ///< each optimiser step
  /// The rows that this rank feeds to a step, in their order; shard -1: padding.
  std::function<void(std::int64_t step, const std::vector<RowPlace>& rows)> fed{};
};

}  // namespace letterpress
