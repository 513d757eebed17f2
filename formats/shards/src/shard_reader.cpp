#include <algorithm>
#include <utility>

#include "letterpress/base/error.h"
#include "shard_content.h"

namespace letterpress {
namespace {

constexpr const char* kMismatch = "pixels or tables do not match its checksum";

}  // namespace

ShardReader::ShardReader(const std::filesystem::path& path, Check check)
    : content_(std::make_unique<Content>(path)) {
  content_->read();
  if (check == Check::digest) content_->check_digest();
  content_->check_box_counts();
}
ShardReader::~ShardReader() = default;
ShardReader::ShardReader(ShardReader&&) noexcept = default;
ShardReader& ShardReader::operator=(ShardReader&&) noexcept = default;

const std::filesystem::path& ShardReader::path() const noexcept { return content_->path; }
const ShardSpec& ShardReader::spec() const noexcept { return content_->spec; }
std::int64_t ShardReader::rows() const noexcept { return content_->rows; }
std::int64_t ShardReader::image_bytes() const noexcept { return content_->image_bytes; }
int ShardReader::descriptor() const noexcept { return content_->file.descriptor(); }
FileRange ShardReader::stored_pixels(std::int64_t row) const {
  return content_->pixels.at(static_cast<std::size_t>(row));
}

void ShardReader::read_images(std::int64_t first, std::int64_t n, std::uint8_t* images) const {
  if (first < 0 || n < 0 || first > rows() - n) {
    content_->fail("rows " + std::to_string(first) + ".." + std::to_string(first + n) +
                   " asked for, it has " + std::to_string(rows()));
  }
  const std::span<std::uint8_t> bytes(images, static_cast<std::size_t>(n * image_bytes()));
  if (n == 0) return;
  if (spec().compression == Compression::none) {
    content_->file.read_at(stored_pixels(first).offset, std::as_writable_bytes(bytes));
    return;
  }
  const auto size = static_cast<std::size_t>(image_bytes());
  for (std::int64_t i = 0; i < n; ++i) {
    if (!content_->inflate_row(first + i, bytes.subspan(static_cast<std::size_t>(i) * size, size)))
      fail_inflating(first + i);
  }
}

void ShardReader::fail_inflating(std::int64_t row) const {
  content_->fail_row(row, "its compressed pixels cannot be decompressed");
}

void ShardReader::verify_row(std::int64_t row, std::span<const std::uint8_t> image) const {
  if (!content_->row_is_whole(row, image)) content_->fail_row(row, kMismatch);
}

void ShardReader::verify_row(std::int64_t row, Hasher pixels) const {
  if (!content_->row_is_whole(row, std::move(pixels))) content_->fail_row(row, kMismatch);
}

void ShardReader::verify_rows() const {
  std::vector<std::uint8_t> image(static_cast<std::size_t>(image_bytes()));
  for (std::int64_t row = 0; row < rows(); ++row) {
    read_images(row, 1, image.data());
    verify_row(row, image);
  }
}

std::vector<LabelBox> ShardReader::label_boxes(std::int64_t row) const {
  const std::span<const float> numbers = boxes(row), areas = box_area(row);
  const std::span<const std::uint8_t> flags = box_flags(row);
  std::vector<LabelBox> result(static_cast<std::size_t>(box_count(row)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::span<const float> box = numbers.subspan(5 * i, 5);
    result[i] = {box[0],   box[1],  box[2], box[3], static_cast<std::int32_t>(box[4]),
                 flags[i], areas[i]};
  }
  return result;
}

std::span<const float> ShardReader::boxes(std::int64_t row) const {
  return std::as_const(content_->tables).boxes.row(row);
}
std::span<const std::uint8_t> ShardReader::box_flags(std::int64_t row) const {
  return std::as_const(content_->tables).box_flags.row(row);
}
std::span<const float> ShardReader::box_area(std::int64_t row) const {
  return std::as_const(content_->tables).box_area.row(row);
}
std::span<const float> ShardReader::augment(std::int64_t row) const {
  return std::as_const(content_->tables).augment.row(row);
}
std::int32_t ShardReader::box_count(std::int64_t row) const {
  return content_->tables.box_count.row(row)[0];
}
std::int32_t ShardReader::label(std::int64_t row) const {
  return content_->tables.label.row(row)[0];
}
std::uint64_t ShardReader::picture_id(std::int64_t row) const {
  return content_->tables.picture_id.row(row)[0];
}
std::int32_t ShardReader::tile(std::int64_t row) const {
  return content_->tables.tiled ? content_->tables.tile.row(row)[0] : 0;
}
std::span<const float> ShardReader::whole_boxes(std::int64_t row) const {
  return content_->tables.tiled ? content_->tables.whole_box.row(row) : std::span<const float>{};
}
std::int32_t ShardReader::view(std::int64_t row) const { return content_->tables.view.row(row)[0]; }
std::int32_t ShardReader::status(std::int64_t row) const {
  return content_->tables.status.row(row)[0];
}
const std::string& ShardReader::name(std::int64_t row) const {
  return content_->spec.names.at(static_cast<std::size_t>(row));
}

Affine ShardReader::letterbox(std::int64_t row) const {
  Affine map;
  const std::span<const float> numbers = std::as_const(content_->tables).letterbox.row(row);
  std::copy(numbers.begin(), numbers.end(), map.m.begin());
  return map;
}

std::array<std::int32_t, 2> ShardReader::source_size(std::int64_t row) const {
  const std::span<const std::int32_t> size = std::as_const(content_->tables).source_size.row(row);
  return {size[0], size[1]};
}

Hash128 ShardReader::source_hash(std::int64_t row) const {
  Hash128 hash;
  const std::span<const std::uint8_t> bytes = std::as_const(content_->tables).source_hash.row(row);
  std::copy(bytes.begin(), bytes.end(), hash.bytes.begin());
  return hash;
}

}  // namespace letterpress
