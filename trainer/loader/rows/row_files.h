#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/loader/rows/read_by.h"

namespace letterpress {

/// Why a row could not be read.
struct RowFailure {
  int error_number;      ///< 0: the file ended
  bool damaged = false;  ///< it was read but cannot be decompressed
};

/// The pixels of a snapshot's shards as files. find() does not use the ShardReaders, so a thread
/// that hangs in a read may outlive the snapshot; only a thread that returned may name and check a
/// row. Thread-safe.
class RowFiles {
 public:
  /// The snapshot has checked that all shards have the same side. by: mmap maps all pixels, direct
  /// opens the files once more; not automatic. Throws Error naming the file that cannot be mapped
  /// or opened.
  RowFiles(const SnapshotReader& snapshot, ReadBy by);
  ~RowFiles();
  RowFiles(const RowFiles&) = delete;
  RowFiles& operator=(const RowFiles&) = delete;

  std::int64_t image_bytes() const noexcept { return image_bytes_; }
  int side() const noexcept { return side_; }
  /// The largest of the shards' and of the snapshot's statistics.
  int max_boxes() const noexcept { return max_boxes_; }
  int fill() const noexcept { return fill_; }
  ReadBy by() const noexcept { return by_; }
  bool contains(const RowPlace& place) const noexcept;
  std::vector<std::int64_t> rows_of_shards() const;
  const ShardReader& shard(const RowPlace& place) const { return snapshot_.shard(place.shard); }

  /// Of a compressed row; 0: there is none.
  std::int64_t most_stored_bytes() const noexcept { return most_stored_bytes_; }

  /// Where the pixels of a row are.
  struct Location {
    int descriptor;              ///< direct: opened with O_DIRECT
    std::int64_t offset, bytes;  ///< in the file
    const std::uint8_t* mapped;  ///< mmap only, else null
    bool deflated;               ///< pread only: image_bytes() when they are inflated
  };
  Location find(const RowPlace& place) const noexcept;
  [[noreturn]] void raise(const RowPlace& place, const RowFailure& failure) const;
  std::string describe(const RowPlace& place) const;  ///< "a.h5: row 5 (b.jpg)"

 private:
  struct Pixels {
    int descriptor;
    std::int64_t offset, rows;
    const std::uint8_t* mapped = nullptr;
    std::vector<FileRange> deflated{};  // by row; empty: rows follow each other uncompressed
  };
  void find_deflated(const ShardReader& shard, Pixels& pixels);
  void open_for(const ShardReader& shard, Pixels& pixels);
  void close() noexcept;
  static std::int64_t bytes_before(const Pixels& pixels) noexcept;

  const SnapshotReader& snapshot_;
  ReadBy by_;
  std::vector<Pixels> pixels_;
  std::int64_t image_bytes_ = 0, most_stored_bytes_ = 0;
  int side_ = 0, max_boxes_ = 0, fill_ = 0;
};

}  // namespace letterpress
