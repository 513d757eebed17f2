#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "json_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/hdf5/deflated.h"
#include "letterpress/hdf5/hdf5.h"
#include "letterpress/shards/deflate.h"
#include "letterpress/shards/shard.h"
#include "shard_layout.h"

namespace letterpress {
namespace {

constexpr const char* kFix =
    "; restore it from a copy, or remove it and run `letterpress-preprocess build` again";

constexpr const char* kMismatch = "pixels or tables do not match its checksum";
constexpr std::int64_t kMostSide = 8192;  // what `build --size` takes

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw Error(path.string() + ": " + what);
}

Compression read_schema(const hdf5::File& file, const std::filesystem::path& path) {
  const std::int64_t schema = hdf5::read_integer_attribute(file, "schema");
  if (schema == 1) return Compression::none;
  if (schema == 2) return Compression::deflate;
  throw Error(
      path.string() + ": shard schema " + std::to_string(schema) +
          (schema > kShardSchema ? " is newer than this program's " : " is not this program's ") +
          std::to_string(kShardSchema) +
          (schema > kShardSchema ? "; update Letterpress" : "; was it written by Letterpress?"),
      Exit::configuration);
}

std::vector<std::string> text_list(const hdf5::File& file, const std::string& attribute,
                                   const std::filesystem::path& path) {
  const std::string where = path.string() + ": attribute '" + attribute + "'";
  return read_fields(where, [&] {
    return nlohmann::json::parse(hdf5::read_text_attribute(file, attribute))
        .get<std::vector<std::string>>();
  });
}

std::int64_t bounded(std::int64_t value, std::int64_t low, std::int64_t high,
                     const std::string& what) {
  if (value >= low && value <= high) return value;
  throw Error(what + " is " + std::to_string(value) + "; wanted " + std::to_string(low) + ".." +
              std::to_string(high));
}

}  // namespace

struct ShardReader::Content {
  std::filesystem::path path;
  File file;
  ShardSpec spec;
  std::int64_t rows = 0, image_bytes = 0;
  std::vector<FileRange> pixels;  // by row
  ShardTables tables;
  std::vector<std::uint64_t> checksums;

  explicit Content(const std::filesystem::path& name)
      : path(name), file(File::open_to_read(name)) {}
  void read();
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
  bool inflate_row(std::int64_t row, std::span<std::uint8_t> image) const;
  std::optional<std::int64_t> first_damaged_row() const;
  template <class Pixels>
  bool row_is_whole(std::int64_t row, Pixels&& image) const;
  [[noreturn]] void fail_row(std::int64_t row, const std::string& what) const;
};

void ShardReader::Content::read() {
  if (!file.is_regular())
    fail(path, std::string("is no regular file (a folder, FIFO or device)") + kFix);
  const hdf5::File shard =
      hdf5::open_file(path, "not a readable shard; `letterpress-preprocess build` makes it anew");
  spec.compression = read_schema(shard, path);
  read_places(shard);
  read_spec(shard);
  read_tables(shard);
  read_names(shard);
}

void ShardReader::Content::check_images(hdf5::Number number,
                                        const std::vector<std::int64_t>& shape) const {
  const bool square =
      shape.size() == 4 && shape[1] == shape[2] && shape[3] == 3 && number == hdf5::Number::u8;
  if (square && shape[0] >= 1 && shape[1] >= 32 && shape[1] <= kMostSide && shape[1] % 32 == 0)
    return;
  fail(path, "/images is " + to_string(number) + " " + hdf5::to_string(shape) +
                 "; wanted uint8 [N, S, S, 3], S a multiple of 32");
}

void ShardReader::Content::read_places(const hdf5::File& shard) {
  const auto take_shape = [&](hdf5::Number number, const std::vector<std::int64_t>& shape) {
    check_images(number, shape);
    rows = shape[0];
    spec.side = static_cast<int>(shape[1]);
    image_bytes = 3 * shape[1] * shape[1];
  };
  if (spec.compression == Compression::deflate) {
    hdf5::DeflatedRows images = hdf5::find_deflated_rows(shard, kImages);
    take_shape(images.number, images.shape);
    pixels = std::move(images.rows);
    return;
  }
  const hdf5::Place images = hdf5::find_dataset(shard, kImages);
  take_shape(images.number, images.shape);
  pixels.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row)
    pixels.push_back({images.offset + row * image_bytes, image_bytes});
}

void ShardReader::Content::read_spec(const hdf5::File& shard) {
  const hdf5::Place boxes = hdf5::find_dataset(shard, "/boxes");
  if (boxes.shape.size() != 3)
    fail(path, "/boxes is " + hdf5::to_string(boxes.shape) + "; wanted [N, M, 5]");
  spec.max_boxes =
      static_cast<int>(bounded(boxes.shape[1], 0, 1 << 24, path.string() + ": /boxes: M"));
  spec.augment_names = text_list(shard, "augment_names", path);
  spec.classes = text_list(shard, "classes", path);
  spec.recipe_json = hdf5::read_text_attribute(shard, "recipe");
  spec.producer = hdf5::read_text_attribute(shard, "producer");
  spec.fill = static_cast<int>(bounded(hdf5::read_integer_attribute(shard, "pad_value"), 0, 255,
                                       path.string() + ": pad_value"));
  if (const std::string order = hdf5::read_text_attribute(shard, "colour_order"); order != "RGB") {
    fail(path, "colour_order is " + order + "; wanted RGB");
  }
}

template <class T>
std::vector<T> ShardReader::Content::read_elements(const hdf5::File& shard, const std::string& name,
                                                   const std::vector<std::int64_t>& shape) const {
  const hdf5::Place place = hdf5::find_dataset(shard, name);
  if (place.number != hdf5::kNumberOf<T> || place.shape != shape) {
    fail(path, name + " is " + to_string(place.number) + " " + hdf5::to_string(place.shape) +
                   "; wanted " + to_string(hdf5::kNumberOf<T>) + " " + hdf5::to_string(shape));
  }
  std::vector<T> elements(static_cast<std::size_t>(place.bytes) / sizeof(T));
  file.read_at(place.offset, std::as_writable_bytes(std::span(elements)));
  return elements;
}

void ShardReader::Content::read_tables(const hdf5::File& shard) {
  const auto parameters = static_cast<std::int64_t>(spec.augment_names.size());
  for_each_table(tables, spec.max_boxes, parameters,
                 [&]<class T>(const char* name, Table<T>& table, std::vector<std::int64_t> shape) {
                   shape.insert(shape.begin(), rows);
                   table.elements = read_elements<T>(shard, name, shape);
                   table.columns = table.elements.size() / static_cast<std::size_t>(rows);
                 });
  checksums = read_elements<std::uint64_t>(shard, kRowChecksum, {rows});
}

void ShardReader::Content::read_names(const hdf5::File& shard) {
  const std::string name = kName;
  const hdf5::Place bytes = hdf5::find_dataset(shard, name + "_bytes");
  spec.names = hdf5::to_strings({read_elements<std::uint8_t>(shard, name + "_bytes", {bytes.bytes}),
                                 read_elements<std::uint64_t>(shard, name + "_offset", {rows + 1})},
                                path.string() + ": " + name);
}

template <class Pixels>
bool ShardReader::Content::row_is_whole(std::int64_t row, Pixels&& image) const {
  const auto at = static_cast<std::size_t>(row);
  return row_checksum(tables, row, std::forward<Pixels>(image), spec.names[at]) == checksums[at];
}

bool ShardReader::Content::inflate_row(std::int64_t row, std::span<std::uint8_t> image) const {
  thread_local Inflater inflater;
  const FileRange& place = pixels[static_cast<std::size_t>(row)];
  std::vector<std::byte> deflated(static_cast<std::size_t>(place.bytes));
  file.read_at(place.offset, deflated);
  return inflater.inflate(deflated, image);
}

std::optional<std::int64_t> ShardReader::Content::first_damaged_row() const {
  std::vector<std::uint8_t> image(static_cast<std::size_t>(image_bytes));
  for (std::int64_t row = 0; row < rows; ++row) {
    if (spec.compression == Compression::none) {
      file.read_at(pixels[static_cast<std::size_t>(row)].offset,
                   std::as_writable_bytes(std::span(image)));
    } else if (!inflate_row(row, image)) {
      return row;
    }
    if (!row_is_whole(row, image)) return row;
  }
  return std::nullopt;
}

void ShardReader::Content::check_digest() const {
  const std::string computed = shard_digest(file, pixels).hex();
  if (path.stem() == computed) return;
  const std::optional<std::int64_t> row = first_damaged_row();
  const std::string part =
      row ? "row " + std::to_string(*row) + " (" + spec.names[static_cast<std::size_t>(*row)] +
                ") is changed"
          : "the rows are whole, its attributes, structure or name are changed";
  fail(path, "damaged: its content has digest " + computed + ", its name promises another; " +
                 part + kFix);
}

ShardReader::ShardReader(const std::filesystem::path& path, Check check)
    : content_(std::make_unique<Content>(path)) {
  content_->read();
  if (check == Check::digest) content_->check_digest();
  for (std::int64_t row = 0; row < rows(); ++row) {
    bounded(box_count(row), 0, content_->spec.max_boxes,
            path.string() + ": row " + std::to_string(row) + ": /box_count");
  }
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
    fail(path(), "rows " + std::to_string(first) + ".." + std::to_string(first + n) +
                     " asked for; it has " + std::to_string(rows()));
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

void ShardReader::Content::fail_row(std::int64_t row, const std::string& what) const {
  fail(path, "row " + std::to_string(row) + " (" + spec.names[static_cast<std::size_t>(row)] +
                 ") is damaged: " + what + kFix);
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
