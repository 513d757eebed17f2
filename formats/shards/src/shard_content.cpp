#include "shard_content.h"

#include <nlohmann/json.hpp>

#include "json_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/own_file.h"
#include "letterpress/base/side.h"
#include "letterpress/hdf5/deflated.h"
#include "letterpress/shards/deflate.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {
namespace {

constexpr const char* kFix =
    "restore it from a copy, or remove it and run `letterpress-preprocess build` again";

// 1, and 2 where rows are compressed; 3 and 4 the same of tiles.
void read_schema(const hdf5::File& file, const std::filesystem::path& path, ShardSpec& spec) {
  const std::int64_t schema = hdf5::read_integer_attribute(file, "schema");
  if (schema >= 1 && schema <= kShardSchema) {
    spec.compression = schema % 2 == 0 ? Compression::deflate : Compression::none;
    spec.tiled = schema > 2;
    return;
  }
  const bool is_newer = schema > kShardSchema;
  throw Error({.where = path.string(),
               .what = "shard schema " + std::to_string(schema) +
                       (is_newer ? " is newer than" : " is not") + " this program's " +
                       std::to_string(kShardSchema),
               .fix = is_newer ? "update Letterpress" : "was it written by Letterpress?"},
              Exit::configuration);
}

std::vector<std::string> text_list(const hdf5::File& file, const std::string& attribute,
                                   const std::filesystem::path& path) {
  const std::string where = path.string() + ": attribute '" + attribute + "'";
  const std::string text = hdf5::read_text_attribute(file, attribute);
  check_nesting(text, where);
  return read_fields(where,
                     [&] { return nlohmann::json::parse(text).get<std::vector<std::string>>(); });
}

// what: "a.h5: /boxes: M"
std::int64_t bounded(std::int64_t value, std::int64_t low, std::int64_t high,
                     const std::string& what) {
  if (value >= low && value <= high) return value;
  throw Error(what + " is " + std::to_string(value) + ", must be " + std::to_string(low) + ".." +
              std::to_string(high));
}

}  // namespace

ShardReader::Content::Content(const std::filesystem::path& name) : path(name) {
  check_own_file(path, kFix);
  file = File::open_to_read(path);
}

void ShardReader::Content::read() {
  const hdf5::File shard =
      hdf5::open_file(path, "not a readable shard", "`letterpress-preprocess build` makes it anew");
  read_schema(shard, path, spec);
  tables.tiled = spec.tiled;
  read_places(shard);
  read_spec(shard);
  read_tables(shard);
  read_names(shard);
}

void ShardReader::Content::check_images(hdf5::Number number,
                                        const std::vector<std::int64_t>& shape) const {
  const bool square =
      shape.size() == 4 && shape[1] == shape[2] && shape[3] == 3 && number == hdf5::Number::u8;
  if (square && shape[0] >= 1 && is_side(shape[1])) return;
  fail("/images is " + to_string(number) + " " + hdf5::to_string(shape) +
       ", must be uint8 [N, S, S, 3], S " + kSideLimits.text);
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
  const hdf5::ContiguousDataset images = hdf5::find_dataset(shard, kImages);
  take_shape(images.number, images.shape);
  pixels.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row)
    pixels.push_back({images.offset + row * image_bytes, image_bytes});
}

void ShardReader::Content::read_spec(const hdf5::File& shard) {
  const hdf5::ContiguousDataset boxes = hdf5::find_dataset(shard, "/boxes");
  if (boxes.shape.size() != 3)
    fail("/boxes is " + hdf5::to_string(boxes.shape) + ", must be [N, M, 5]");
  spec.max_boxes =
      static_cast<int>(bounded(boxes.shape[1], 0, kMostBoxes, path.string() + ": /boxes: M"));
  spec.augment_names = text_list(shard, "augment_names", path);
  spec.classes = text_list(shard, "classes", path);
  spec.recipe_json = hdf5::read_text_attribute(shard, "recipe");
  check_nesting(spec.recipe_json, path.string() + ": attribute 'recipe'");
  spec.producer = hdf5::read_text_attribute(shard, "producer");
  spec.fill = static_cast<int>(bounded(hdf5::read_integer_attribute(shard, "pad_value"), 0, 255,
                                       path.string() + ": pad_value"));
  if (const std::string order = hdf5::read_text_attribute(shard, "colour_order"); order != "RGB") {
    fail("colour_order is " + order + ", must be RGB");
  }
}

template <class T>
std::vector<T> ShardReader::Content::read_elements(const hdf5::File& shard, const std::string& name,
                                                   const std::vector<std::int64_t>& shape) const {
  const hdf5::ContiguousDataset place = hdf5::find_dataset(shard, name);
  if (place.number != hdf5::kNumberOf<T> || place.shape != shape) {
    fail(name + " is " + to_string(place.number) + " " + hdf5::to_string(place.shape) +
         ", must be " + to_string(hdf5::kNumberOf<T>) + " " + hdf5::to_string(shape));
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
  const hdf5::ContiguousDataset bytes = hdf5::find_dataset(shard, name + "_bytes");
  spec.names = hdf5::to_strings({read_elements<std::uint8_t>(shard, name + "_bytes", {bytes.bytes}),
                                 read_elements<std::uint64_t>(shard, name + "_offset", {rows + 1})},
                                path.string() + ": " + name);
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
  fail("damaged: its content has digest " + computed + ", its name promises another; " + part,
       kFix);
}

void ShardReader::Content::check_box_counts() const {
  for (std::int64_t row = 0; row < rows; ++row) {
    bounded(tables.box_count.row(row)[0], 0, spec.max_boxes,
            path.string() + ": row " + std::to_string(row) + ": /box_count");
  }
}

void ShardReader::Content::fail(const std::string& what, const std::string& fix) const {
  throw Error({.where = path.string(), .what = what, .fix = fix});
}

void ShardReader::Content::fail_row(std::int64_t row, const std::string& what) const {
  fail("row " + std::to_string(row) + " (" + spec.names[static_cast<std::size_t>(row)] +
           ") is damaged: " + what,
       kFix);
}

}  // namespace letterpress
