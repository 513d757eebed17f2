#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/loader/rows/row_files.h"
#include "trainer/loader/rows/touched_rows.h"

namespace letterpress::python {

/// A snapshot of a store as Python sees it. Thread-safe, and fit for a forked process: nothing here
/// has threads, and HDF5 was closed again.
class OpenedSnapshot {
 public:
  /// generation: nothing is the latest. Throws Error as Store and SnapshotReader do.
  OpenedSnapshot(const std::filesystem::path& store, std::optional<std::int64_t> generation);

  const std::filesystem::path& folder() const noexcept { return store_.folder(); }
  /// The same wherever the process is working; as it was when it was opened.
  const std::filesystem::path& whole_path() const noexcept { return whole_path_; }
  const Snapshot& snapshot() const noexcept { return reader_.snapshot(); }
  const SnapshotReader& reader() const noexcept { return reader_; }
  const ShardReader& shard(const RowPlace& place) const { return reader_.shard(place.shard); }
  int max_boxes() const noexcept { return rows_.max_boxes(); }
  std::vector<std::string> splits() const;  ///< alphabetical
  std::string describe(const RowPlace& place) const { return rows_.describe(place); }

  /// uint8 [S, S, 3] where it lies in the page cache; null where rows are not mapped: compressed
  /// ones, and those of a disk that is not local, whose errors would end the process. Checked
  /// against its checksum at the first call for a row. Throws Error naming shard, row and picture.
  const std::uint8_t* mapped_pixels(const RowPlace& place) const;
  /// pixels <- the same, S * S * 3 bytes, of any row.
  void read_pixels(const RowPlace& place, std::uint8_t* pixels) const;

 private:
  Store store_;
  std::filesystem::path whole_path_;
  SnapshotReader reader_;
  RowFiles rows_;
  mutable TouchedRows verified_;  // bits that only ever rise; lock-free
};

}  // namespace letterpress::python
