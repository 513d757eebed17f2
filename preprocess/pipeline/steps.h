#pragma once
#include <cstdint>
#include <filesystem>

#include "letterpress/base/stop_request.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/pipeline/build_report.h"
#include "preprocess/pipeline/part.h"

namespace letterpress {

/// build() in three steps, for many machines that share the store's folder: plan() (build.h) once,
/// map_part on each, reduce_plan once. The shards and the snapshot have the same bytes as
/// build()'s. A part may be lost, repeated, or run twice at the same time: the first record of a
/// shard stands, and reduce_plan publishes only when every shard is there.

/// What map_part does on one machine. The path is the caller's and outlives the call.
struct PartTask {
  const std::filesystem::path& plan;  ///< plan.h5 or its folder
  Part part;
  int threads = 0;  ///< 0: all cores
  const StopRequest& stop;
};

/// What a part did.
struct MapReport {
  std::int64_t shards = 0;   ///< of this part
  std::int64_t resumed = 0;  ///< of these: finished before
  int stopped_by = 0;        ///< the signal when it stopped early; finished shards are kept
};
/// Makes the shards of one part. Takes no lock of the store. Throws Error as open_plan(); (data) a
/// picture is not as it was planned, which only a new plan fixes; (busy) the plan was published
/// meanwhile; (io) no space or a failed write.
MapReport map_part(const PartTask& task, BuildListener& listener);

/// Publishes the plan's snapshot. A plan that is published already (this was run twice) is removed
/// and is not an error. Throws Error as open_plan(); (busy) naming the parts that are missing, when
/// another snapshot was published meanwhile, or another builder works; (data) more pictures could
/// not be decoded than --max-rejects of the plan allows.
BuildReport reduce_plan(const std::filesystem::path& plan, BuildListener& listener);

}  // namespace letterpress
