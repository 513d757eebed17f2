#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Reads of pixels by file descriptor. read() touches nothing of the ShardReader, so that a thread which hangs in it may outlive the
/// snapshot; naming and checking the row is for a thread that is back.
class RowReader {
 public:
  explicit RowReader(const SnapshotReader& snapshot);  ///< which has checked that all shards have the same side

  std::int64_t image_bytes() const noexcept { return image_bytes_; }
  int side() const noexcept { return side_; }
  int max_boxes() const noexcept { return max_boxes_; }  ///< largest of the shards' and of the snapshot's statistics
  int fill() const noexcept { return fill_; }
  bool contains(const RowPlace& place) const noexcept;
  std::vector<std::int64_t> rows_of_shards() const;
  const ShardReader& shard(const RowPlace& place) const { return snapshot_.shard(place.shard); }

  struct Failure {
    int error_number;     ///< 0: the file ended
    std::int64_t offset;  ///< in the row
  };
  /// image <- image_bytes() bytes.
  std::optional<Failure> read(const RowPlace& place, std::uint8_t* image) const noexcept;
  [[noreturn]] void raise(const RowPlace& place, const Failure& failure) const;
  std::string describe(const RowPlace& place) const;  ///< "a.h5: row 5 (b.jpg)"

 private:
  struct Pixels {
    int descriptor;
    std::int64_t offset, rows;
  };
  const SnapshotReader& snapshot_;
  std::vector<Pixels> pixels_;
  std::int64_t image_bytes_ = 0;
  int side_ = 0, max_boxes_ = 0, fill_ = 0;
};

}  // namespace letterpress
