#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/file.h"
#include "letterpress/shards/shard.h"

namespace letterpress {

inline constexpr const char* kImages = "/images";
inline constexpr const char* kRowChecksum = "/row_checksum";
inline constexpr const char* kName = "/name";  // _bytes, _offset

// One dataset of a shard in memory: `columns` elements per row, C order.
template <class T>
struct Table {
  std::vector<T> elements;
  std::size_t columns = 0;

  std::span<T> row(std::int64_t index) {
    return std::span(elements).subspan(static_cast<std::size_t>(index) * columns, columns);
  }
  std::span<const T> row(std::int64_t index) const {
    return std::span(elements).subspan(static_cast<std::size_t>(index) * columns, columns);
  }
};

// All datasets that the row checksum covers besides /images and the names.
struct ShardTables {
  Table<float> boxes;
  Table<std::int32_t> box_count;
  Table<std::uint8_t> box_flags;
  Table<float> box_area;
  Table<std::int32_t> label;
  Table<float> letterbox;
  Table<std::int32_t> source_size;
  Table<std::uint64_t> picture_id;
  Table<std::int32_t> view;
  Table<std::int32_t> status;
  Table<std::uint8_t> source_hash;
  Table<float> augment;
  Table<std::int32_t> tile;
  Table<float> whole_box;
  bool tiled = false;  // there are the last two
};

// visit(name, table, shape of one row) for each, in the order of the schema, which is also the
// order of the row checksum.
template <class Tables, class Visit>
void for_each_table(Tables& tables, std::int64_t max_boxes, std::int64_t parameters, Visit visit) {
  using Shape = std::vector<std::int64_t>;
  visit("/boxes", tables.boxes, Shape{max_boxes, 5});
  visit("/box_count", tables.box_count, Shape{});
  visit("/box_flags", tables.box_flags, Shape{max_boxes});
  visit("/box_area", tables.box_area, Shape{max_boxes});
  visit("/label", tables.label, Shape{});
  visit("/letterbox", tables.letterbox, Shape{6});
  visit("/source_size", tables.source_size, Shape{2});
  visit("/picture_id", tables.picture_id, Shape{});
  visit("/view", tables.view, Shape{});
  visit("/status", tables.status, Shape{});
  visit("/source_hash", tables.source_hash, Shape{16});
  visit("/augment", tables.augment, Shape{parameters});
  if (!tables.tiled) return;
  visit("/tile", tables.tile, Shape{});
  visit("/whole_box", tables.whole_box, Shape{max_boxes, 4});
}

// XXH3-64 over the row's pixels, its part of every table, and its name's bytes.
std::uint64_t row_checksum(const ShardTables& tables, std::int64_t row,
                           std::span<const std::uint8_t> image, const std::string& name);
// The same, where `pixels` was given the row's pixels.
std::uint64_t row_checksum(const ShardTables& tables, std::int64_t row, Hasher pixels,
                           const std::string& name);

// XXH3-128 of all bytes of the file except the rows' pixels, in file order. pixels: in any order,
// without overlap.
Hash128 shard_digest(const File& file, std::vector<FileRange> pixels);

}  // namespace letterpress
