#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "tests/temp_dir.h"

namespace letterpress {

/// Pixel byte k of row `row` of shard `shard`.
inline std::uint8_t sample_pixel(std::int32_t shard, std::int64_t row, std::size_t k) {
  return static_cast<std::uint8_t>(
      (31 * static_cast<std::size_t>(row) + 7 * k + 101 * static_cast<std::size_t>(shard)) % 251);
}

/// A store of `n` pictures "p0.jpg"... with boxes 1 2 3 4 in class (row mod 3), as many as row mod
/// 4, the first one a crowd:
///   shard 0  train, clean, M = 8; /label is 10 + row
///   shard 1  train, views 1..K of each picture, M = 16
/// source_hash of picture i has prefix i, so that reader().pictures("train") has picture i at i.
class SampleStore {
 public:
  SampleStore(int n, int views, int side = 32, Compression compression = Compression::none)
      : store_(Store::create(dir_ / "store")), side_(side), compression_(compression) {
    snapshot_.generation = 1;
    snapshot_.identity.side = side;
    snapshot_.views = views;
    // As many as /label says.
    for (int i = 0; i < 10 + n * std::max(1, views); ++i)
      snapshot_.classes.push_back("class " + std::to_string(i));
    add(n, 0, 8);
    if (views > 0) add(n, views, 16);
    snapshot_.statistics.max_boxes = views > 0 ? 16 : 8;
    reader_ = std::make_unique<SnapshotReader>(store_, snapshot_);
  }

  const SnapshotReader& reader() const { return *reader_; }
  std::vector<PictureRows> train() const { return reader_->pictures("train"); }
  std::filesystem::path shard_path(int index) const {
    return store_.shard_path(snapshot_.shards[static_cast<std::size_t>(index)].digest);
  }
  std::int64_t row_bytes() const { return std::int64_t{3} * side_ * side_; }

  /// Flips a bit of a row's pixels (compressed: of the middle of what there is), as a bad disk
  /// would.
  void damage(int shard, std::int64_t row) const {
    std::filesystem::permissions(shard_path(shard), std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    const FileRange stored = reader_->shard(shard).stored_pixels(row);
    const std::int64_t position =
        stored.offset + (compression_ == Compression::none ? 100 : stored.bytes / 2);
    std::fstream file(shard_path(shard), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(position);
    const int byte = file.get();
    file.seekp(position);
    file.put(static_cast<char>(byte ^ 4));
  }

  /// Leaves `bytes` of the pixels of that row, and nothing after.
  void cut(int shard, std::int64_t row, std::int64_t bytes) const {
    std::filesystem::permissions(shard_path(shard), std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    const std::int64_t length = reader_->shard(shard).stored_pixels(row).offset + bytes;
    std::filesystem::resize_file(shard_path(shard), static_cast<std::uintmax_t>(length));
  }

 private:
  void add(int n, int views, int max_boxes) {
    const int per_picture = views > 0 ? views : 1;
    ShardSpec spec{.side = side_,
                   .max_boxes = max_boxes,
                   .names = {},
                   .augment_names = {},
                   .classes = snapshot_.classes,
                   .recipe_json = "{}",
                   .fill = 114,
                   .producer = "test",
                   .compression = compression_};
    for (int i = 0; i < n * per_picture; ++i)
      spec.names.push_back("p" + std::to_string(i / per_picture) + ".jpg");
    const auto shard = static_cast<std::int32_t>(snapshot_.shards.size());
    ShardWriter writer(store_.temporary_folder(), spec);
    std::vector<std::uint8_t> image(static_cast<std::size_t>(row_bytes()));
    for (std::int64_t row = 0; row < writer.rows(); ++row) {
      for (std::size_t k = 0; k < image.size(); ++k) image[k] = sample_pixel(shard, row, k);
      writer.write_row(row, make_row(row, per_picture, views), image);
    }
    snapshot_.shards.push_back({.digest = writer.finish(store_.shards_folder()),
                                .split = "train",
                                .augmented = views > 0,
                                .rows = n * per_picture,
                                .max_boxes = max_boxes,
                                .dead = {},
                                .compression = compression_});
  }

  ShardRow make_row(std::int64_t row, int per_picture, int views) const {
    ShardRow made{.label = static_cast<std::int32_t>(10 + row),
                  .source_width = side_,
                  .source_height = side_};
    for (std::int64_t i = 0; i < row % 4; ++i)
      made.boxes.push_back({1, 2, 3, 4, static_cast<std::int32_t>(row % 3)});
    if (!made.boxes.empty()) made.boxes[0].flags = kCrowd;
    const std::int64_t picture = row / per_picture;
    made.source_hash.bytes[6] = static_cast<std::uint8_t>(picture / 256);
    made.source_hash.bytes[7] = static_cast<std::uint8_t>(picture % 256);
    made.view = views > 0 ? static_cast<std::int32_t>(row % per_picture + 1) : 0;
    return made;
  }

  TempDir dir_;
  Store store_;
  int side_;
  Compression compression_;
  Snapshot snapshot_;
  std::unique_ptr<SnapshotReader> reader_;
};

}  // namespace letterpress
