#pragma once
#include "letterpress/base/stop_request.h"
#include "preprocess/inputs/build_listener.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/stat_cache.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {

/// Of the pictures of a build.
PictureLimits limits_of(const BuildOptions& options);

/// Hashes and probes every picture of `inputs` that `known` does not have, in parallel:
/// picture_hash, width, height and orientation, or a reject. Returns what is known now, of these
/// pictures only. Each file is read once, however often it is listed. Ends early on `stop`; the
/// inputs are of no use then.
StatCache examine(Inputs& inputs, const BuildOptions& options, const StatCache& known,
                  BuildListener& listener, const StopRequest& stop);

}  // namespace letterpress
