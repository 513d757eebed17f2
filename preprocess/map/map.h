#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "preprocess/map/map_task.h"
#include "preprocess/pipeline/build.h"

namespace letterpress {

/// A picture or a shard to copy from is missing or has other bytes than when it was planned: no
/// reject, the plan is out of date. Exit busy.
class InputChanged : public Error {
 public:
  explicit InputChanged(const std::string& message) : Error(message, Exit::busy) {}
};

struct MapOptions {
  /// Open at once over all threads, up to 6 bytes each; lower it where memory is short.
  std::int64_t pixels_at_once = std::int64_t{256} << 20;
};

/// Which shards of the plan an earlier run has finished, by position in plan.shards: record and
/// shard are there and the shard is whole, pixels included. The record of a damaged one, and a
/// damaged record, are removed, so that it is made again; a note says so. Those of `left_out` are
/// answered as finished without a look (empty: none). Ends early when stop_signal() is set. Throws
/// Error (io) when one cannot be read, (configuration) when it is of a newer format.
std::vector<bool> finished_shards(const MapTask& task, BuildListener& listener,
                                  const std::vector<bool>& left_out = {});

/// Makes the shards of the plan that are not `finished`: each picture is decoded once, each view
/// drawn and written to its place, each full shard published and recorded. Runs on the threads of
/// the calling TBB arena; the bytes do not depend on their number. Stops soon when stop_signal() is
/// set; finished shards are kept. Throws InputChanged, Error (io) when writing fails.
void make_shards(const MapTask& task, const std::vector<bool>& finished, BuildListener& listener,
                 const MapOptions& options = {});

}  // namespace letterpress
