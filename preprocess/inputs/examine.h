#pragma once
#include <cstddef>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "preprocess/inputs/build_listener.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/stat_cache.h"

namespace letterpress {

/// Bytes of a picture: path, offset and length of a ledger's entry and its plan. A picture in an
/// archive or batch is part of the file that its path leads through. Throws Error when they cannot
/// be read; the message tells what the file is instead.
void read_picture(const std::string& path, std::int64_t offset, std::int64_t length,
                  std::vector<std::byte>& bytes);

/// Hashes and probes every picture of `inputs` that `known` does not have, in parallel:
/// picture_hash, width, height and orientation, or a reject. Returns what is known now, of these
/// pictures only. Each file is read once, however often it is listed. Ends early on `stop`; the
/// inputs are of no use then.
StatCache examine(Inputs& inputs, const BuildOptions& options, const StatCache& known,
                  BuildListener& listener, const StopRequest& stop);

}  // namespace letterpress
