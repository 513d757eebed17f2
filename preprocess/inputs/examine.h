#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "letterpress/base/stop_request.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/stat_cache.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/pictures/picture_bytes.h"

namespace letterpress {

class PictureFiles;

/// Of the pictures of a build.
PictureLimits limits_of(const BuildOptions& options);

/// A picture that memory is not to hold: its file, or its part of an archive, of more than
/// kFileReadWhole bytes. None: files.read() has them all, or says why it has not. Throws Error when
/// the file cannot be opened.
std::optional<PictureFile> open_large(const PictureFiles& files, const std::string& path,
                                      std::int64_t offset, std::int64_t length);

/// Hashes and probes every picture of `inputs` that `known` does not have, in parallel:
/// picture_hash, width, height and orientation, or a reject. Returns what is known now, of these
/// pictures only. Each file is read once, however often it is listed. Ends early on `stop`; the
/// inputs are of no use then.
StatCache examine(Inputs& inputs, const BuildOptions& options, const StatCache& known,
                  BuildListener& listener, const StopRequest& stop);

}  // namespace letterpress
