#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/file.h"
#include "letterpress/base/hash.h"
#include "letterpress/shards/compression.h"
#include "letterpress/shards/letterbox.h"

namespace letterpress {

inline constexpr int kShardSchema = 4;  ///< the newest that is read

/// What is the same for all rows of a shard; its attributes.
struct ShardSpec {
  int side = 0;                      ///< S: pixels, multiple of 32
  int max_boxes = 0;                 ///< M: padded boxes per row, multiple of 8
  std::vector<std::string> names{};  ///< N source paths as written in the label file, UTF-8:
                                     ///< /name_bytes; their number is the row count
  std::vector<std::string> augment_names{};  ///< P names of the parameters in /augment, "hsv.hue"
  std::vector<std::string> classes{};        ///< at the time of writing
  std::string recipe_json{};                 ///< effective recipe, letterbox rule included
  int fill = 114;                            ///< pad value
  std::string producer{};                    ///< program and library versions
  Compression compression = Compression::none;
  bool tiled = false;  ///< rows are tiles: there are tables /tile and /whole_box
};

/// One row without its pixels.
struct ShardRow {
  std::vector<LabelBox> boxes{};  ///< pixels of the letterboxed frame; at most max_boxes
  /// Of tiles: each box's corners as labelled, before any cut, x1 y1 x2 y2, pixels of the source.
  std::vector<std::array<float, 4>> whole_boxes{};
  std::int32_t label = -1;                           ///< class of the whole picture, else -1
  Affine letterbox{};                                ///< source pixel -> frame pixel
  std::int32_t source_width = 0, source_height = 0;  ///< after EXIF orientation
  Hash128 source_hash{};         ///< of the picture file's bytes; /picture_id is its prefix()
  std::int32_t tile = 0;         ///< number in the picture's TileGrid; 0 where pictures are whole
  std::int32_t view = 0;         ///< 0 clean letterbox, 1..K augmented, -1 dead
  std::int32_t status = 0;       ///< 0, or why it is dead (RowStatus)
  std::vector<float> augment{};  ///< P drawn parameters; empty is all zero
};

/// /status: why a row holds no picture.
enum RowStatus : std::int32_t { kRowGood = 0, kRowUndecodable = 1, kRowUnsupported = 2 };

/// A shard under construction: a temporary file whose tables exist from the start, so that rows are
/// written by position. Compressed rows wait in a second one, because their places depend on the
/// sizes of the rows before them. write_row is thread-safe for different rows, and compresses in
/// the calling thread. Schema and layout: docs/reference/store.md.
class ShardWriter {
 public:
  ShardWriter(const std::filesystem::path& temporary_folder, const ShardSpec& spec);
  ~ShardWriter();
  ShardWriter(ShardWriter&&) noexcept;
  ShardWriter& operator=(ShardWriter&&) noexcept;

  /// Writes row `index`, and with the last one the tables (of compressed rows: finish() does).
  /// image: uint8 [S, S, 3] RGB. Throws Error when writing fails, std::logic_error when the row
  /// does not fit the spec.
  void write_row(std::int64_t index, const ShardRow& row, std::span<const std::uint8_t> image);
  // The same in two steps: until it is settled, a row may be put again, with other content.
  void put_row(std::int64_t index, const ShardRow& row, std::span<const std::uint8_t> image);
  void settle_row(std::int64_t index);
  std::int64_t rows() const noexcept;
  std::int64_t rows_written() const noexcept;

  /// After the last row: fsync, digest, link as `folder`/<digest>.h5 (mode 0444). An equal shard
  /// that exists already is a success; a damaged one (its digest or a row checksum does not match)
  /// is replaced. Returns the digest.
  Hash128 finish(const std::filesystem::path& folder);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// Records of one shard, in file order.
///   images  uint8   [N, S, S, 3]  RGB, `fill`-grey outside the picture
///   boxes   float32 [N, M, 5]     x1 y1 x2 y2 class: pixels of the letterboxed frame; unused rows
///                                 are 0 0 0 0 -1
/// The tables (all but the images) are in memory from construction on. Thread-safe for reading.
class ShardReader {
 public:
  /// digest: the file's name is computed again from all bytes outside /images (~1 MB).
  enum class Check { digest, none };
  /// Throws Error naming the file when it is not a shard, truncated, of a newer schema, or does not
  /// match its name.
  explicit ShardReader(const std::filesystem::path& path, Check check = Check::digest);
  ~ShardReader();
  ShardReader(ShardReader&&) noexcept;
  ShardReader& operator=(ShardReader&&) noexcept;

  const std::filesystem::path& path() const noexcept;
  const ShardSpec& spec() const noexcept;
  std::int64_t rows() const noexcept;
  std::int64_t image_bytes() const noexcept;  ///< S * S * 3
  /// images <- rows [first, first + n): n * S * S * 3 bytes. One pread (compressed: one for each
  /// row), no HDF5 call, no lock. Throws Error naming shard, row and picture when a compressed one
  /// is damaged.
  void read_images(std::int64_t first, std::int64_t n, std::uint8_t* images) const;
  /// Throws Error naming shard, row and picture when `image` (as read, S * S * 3 bytes) and the
  /// row's tables do not match the row checksum.
  void verify_row(std::int64_t row, std::span<const std::uint8_t> image) const;
  /// The same for pixels that a Hasher was given, all of them and nothing else.
  void verify_row(std::int64_t row, Hasher pixels) const;
  /// The same of all rows, read in file order. Throws Error naming the first damaged one.
  void verify_rows() const;
  /// For readers with an I/O of their own: descriptor, and where a row's pixels are, as
  /// spec().compression says (deflate.h).
  int descriptor() const noexcept;
  FileRange stored_pixels(std::int64_t row) const;
  /// Throws Error naming shard, row and picture: its pixels cannot be decompressed.
  [[noreturn]] void fail_inflating(std::int64_t row) const;

  /// box_count of them: corners in pixels of the frame, areas in pixels of the source.
  std::vector<LabelBox> label_boxes(std::int64_t row) const;
  std::span<const float> boxes(std::int64_t row) const;             ///< M * 5: x1 y1 x2 y2 class
  std::span<const std::uint8_t> box_flags(std::int64_t row) const;  ///< M
  std::span<const float> box_area(std::int64_t row) const;          ///< M
  std::span<const float> whole_boxes(std::int64_t row) const;       ///< of tiles M * 4, else none
  std::int32_t box_count(std::int64_t row) const;
  std::int32_t label(std::int64_t row) const;
  Affine letterbox(std::int64_t row) const;
  std::array<std::int32_t, 2> source_size(std::int64_t row) const;  ///< width, height
  Hash128 source_hash(std::int64_t row) const;
  std::uint64_t picture_id(std::int64_t row) const;
  std::int32_t tile(std::int64_t row) const;
  std::int32_t view(std::int64_t row) const;
  std::int32_t status(std::int64_t row) const;
  std::span<const float> augment(std::int64_t row) const;  ///< P
  const std::string& name(std::int64_t row) const;         ///< source path as written at the time

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace letterpress
