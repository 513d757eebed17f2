#pragma once
#include <string>

namespace letterpress {

/// The versions that decide the bytes of a row that is made now: "letterpress 0.1.0 (pixels 3,
/// OpenCV 4.6.0, libjpeg-turbo 2.1.5, HDF5 1.10.8)". Plans, shards and snapshots keep it as
/// `producer`. A shard that is kept has the versions that made it, whichever make the others. A
/// plan is mapped only by the versions that made it.
std::string software_version();

}  // namespace letterpress
