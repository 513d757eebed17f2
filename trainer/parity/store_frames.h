#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/shards/store.h"
#include "trainer/parity/found_pictures.h"

namespace letterpress {

/// Frames of a split, as a file for programs in Python, and the objects in them.
struct StoreFrames {
  std::filesystem::path file{};                ///< uint8 [n, side, side, 3], numpy's
  std::vector<std::vector<LabelBox>> boxes{};  ///< of each frame, in its pixels
};

/// `most` clean rows of the split, evenly over it, or all where it has fewer; of a picture that has
/// none, its first view. Throws Error: the splits that there are (as SnapshotReader), or the
/// damaged row.
StoreFrames write_store_frames(const SnapshotReader& reader, const std::string& split,
                               std::size_t most, const std::filesystem::path& file);

/// Objects, and those of them that were found: a detection of their class overlaps by one half,
/// best scores first, each object once. Crowds do not count.
struct FoundObjects {
  std::int64_t objects = 0, found = 0;
  double recall() const {
    return objects > 0 ? static_cast<double>(found) / static_cast<double>(objects) : 0;
  }
};
/// found: of each frame. classes: how many there are.
FoundObjects found_objects(const StoreFrames& frames, const std::vector<FoundPicture>& found,
                           std::size_t classes);

}  // namespace letterpress
