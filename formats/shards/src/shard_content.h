#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "letterpress/base/file.h"
#include "letterpress/hdf5/hdf5.h"
#include "letterpress/shards/shard.h"
#include "shard_layout.h"

namespace letterpress {

// What a ShardReader holds of its file, and how it is read and checked.
struct ShardReader::Content {
  std::filesystem::path path;
  File file;
  ShardSpec spec;
  std::int64_t rows = 0, image_bytes = 0;
  std::vector<FileRange> pixels;  // by row
  ShardTables tables;
  std::vector<std::uint64_t> checksums;

  explicit Content(const std::filesystem::path& name);
  void read();  // all but the images
  void read_spec(const hdf5::File& shard);
  void read_places(const hdf5::File& shard);
  void check_images(hdf5::Number number, const std::vector<std::int64_t>& shape) const;
  void read_tables(const hdf5::File& shard);
  template <class T>
  std::vector<T> read_elements(const hdf5::File& shard, const std::string& name,
                               const std::vector<std::int64_t>& shape) const;
  std::vector<std::uint64_t> read_list(const hdf5::File& shard, const std::string& name) const;
  void read_names(const hdf5::File& shard);
  void check_digest() const;
  void check_box_counts() const;
  bool inflate_row(std::int64_t row, std::span<std::uint8_t> image) const;
  std::optional<std::int64_t> first_damaged_row() const;
  // image: the row's pixels, or a Hasher that was given them.
  template <class Pixels>
  bool row_is_whole(std::int64_t row, Pixels&& image) const {
    const auto at = static_cast<std::size_t>(row);
    return row_checksum(tables, row, std::forward<Pixels>(image), spec.names[at]) == checksums[at];
  }
  [[noreturn]] void fail(const std::string& what, const std::string& fix = "") const;
  [[noreturn]] void fail_row(std::int64_t row, const std::string& what) const;
};

}  // namespace letterpress
