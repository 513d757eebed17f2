#pragma once
#include <functional>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "letterpress/shards/store.h"

namespace letterpress {

struct ShardCheck {
  bool rows = false;                  ///< every row is read and compared with its checksum, too
  const StopRequest* stop = nullptr;  ///< rows are left out after it
  std::function<void()> row_done{};   ///< called by all threads; may be empty
};

/// What is wrong with a shard of a snapshot, as messages that name the file: what open_shard()
/// throws or, in the order of rows, rows that are damaged. Rows are read by all cores. Throws
/// nothing for damage.
std::vector<std::string> damage_of_shard(const Store& store, const Snapshot& snapshot,
                                         std::size_t index, const ShardCheck& check);

}  // namespace letterpress
