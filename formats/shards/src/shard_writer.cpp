#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "json_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/side.h"
#include "letterpress/hdf5/deflated.h"
#include "letterpress/hdf5/hdf5.h"
#include "letterpress/shards/deflate.h"
#include "letterpress/shards/shard.h"
#include "row_spool.h"
#include "shard_layout.h"

namespace letterpress {
namespace {

void require(bool fits, const std::string& what) {
  if (!fits) throw std::logic_error("ShardWriter: " + what);
}

void validate(const ShardSpec& spec) {
  require(is_side(spec.side),
          "side is " + std::to_string(spec.side) + ", must be " + kSideLimits.text);
  require(spec.max_boxes >= 0 && spec.max_boxes % 8 == 0,
          "max_boxes is " + std::to_string(spec.max_boxes) + ", must be a multiple of 8");
  require(!spec.names.empty(), "no names, so no rows; a shard has at least one");
  require(spec.compression == Compression::none ||
              static_cast<std::int64_t>(spec.names.size()) <= kMostDeflatedRows,
          std::to_string(spec.names.size()) + " compressed rows, must be at most " +
              std::to_string(kMostDeflatedRows));
}

void write_attributes(const hdf5::File& file, const ShardSpec& spec) {
  hdf5::write_attribute(file, "schema",
                        (spec.compression == Compression::none ? 1 : 2) + (spec.tiled ? 2 : 0));
  hdf5::write_attribute(file, "producer", spec.producer);
  hdf5::write_attribute(file, "recipe", spec.recipe_json);
  hdf5::write_attribute(file, "classes", json_text(spec.classes, "class names"));
  hdf5::write_attribute(file, "augment_names",
                        json_text(spec.augment_names, "augmentation parameters"));
  hdf5::write_attribute(file, "pad_value", spec.fill);
  hdf5::write_attribute(file, "colour_order", std::string("RGB"));
}

// Source pixels, as COCO's area is: the frame's area divided by the map's.
float area_of(const LabelBox& box, double determinant) {
  if (box.area >= 0) return box.area;
  const double area =
      (static_cast<double>(box.x2) - box.x1) * (static_cast<double>(box.y2) - box.y1);
  return static_cast<float>(determinant == 0 ? area : area / std::abs(determinant));
}

}  // namespace

struct ShardWriter::Content {
  ShardSpec spec;
  TemporaryFile temporary;
  std::int64_t rows, image_bytes;
  hdf5::File file;                // open until finish(), for compressed rows only
  std::optional<RowSpool> spool;  // the same
  std::int64_t images_offset = 0, checksums_offset = 0;
  std::vector<std::int64_t> table_offsets;
  ShardTables tables;  // in memory until write_tables(): workers touch disjoint rows of them
  std::vector<std::uint64_t> checksums;
  std::unique_ptr<std::atomic<bool>[]> taken;
  std::atomic<std::int64_t> written{0};

  Content(const std::filesystem::path& folder, const ShardSpec& wanted)
      : spec(wanted),
        temporary(folder),
        rows(static_cast<std::int64_t>(spec.names.size())),
        image_bytes(std::int64_t{3} * spec.side * spec.side),
        checksums(spec.names.size()),
        taken(new std::atomic<bool>[spec.names.size()]()) {
    tables.tiled = spec.tiled;
  }

  std::int64_t parameters() const { return static_cast<std::int64_t>(spec.augment_names.size()); }
  void lay_out();
  // Its name follows from its content, so messages have its folder.
  template <class Work>
  auto named(Work work) const {
    return temporary.under_name(temporary.path().parent_path(),
                                [&](const auto&) { return work(); });
  }
  void lay_out_images();
  std::vector<FileRange> write_spooled();
  void set(std::int64_t index, const ShardRow& row);
  void set_boxes(std::int64_t index, const ShardRow& row);
  void write_tables();
};

void ShardWriter::Content::lay_out_images() {
  const std::vector<std::int64_t> shape{rows, spec.side, spec.side, 3};
  if (spec.compression == Compression::none) {
    images_offset = hdf5::create_dataset(file, kImages, hdf5::Number::u8, shape).offset;
  } else {
    hdf5::create_deflated_rows(file, kImages, hdf5::Number::u8, shape, kDeflateLevel);
    spool.emplace(temporary.path().parent_path(), rows);
  }
}

void ShardWriter::Content::lay_out() {
  file = hdf5::create_file(temporary.path());
  lay_out_images();
  for_each_table(tables, spec.max_boxes, parameters(),
                 [&]<class T>(const char* name, Table<T>& table, std::vector<std::int64_t> shape) {
                   shape.insert(shape.begin(), rows);
                   const hdf5::ContiguousDataset place =
                       hdf5::create_dataset(file, name, hdf5::kNumberOf<T>, shape);
                   table_offsets.push_back(place.offset);
                   table.elements.resize(static_cast<std::size_t>(place.bytes) / sizeof(T));
                   table.columns = table.elements.size() / static_cast<std::size_t>(rows);
                 });
  checksums_offset = hdf5::create_dataset(file, kRowChecksum, hdf5::Number::u64, {rows}).offset;
  hdf5::write_strings(file, kName, hdf5::to_columns(spec.names));
  write_attributes(file, spec);
  if (!spool) hdf5::close_file(std::move(file));
}

// In the order of the rows, so that the file's bytes do not depend on who wrote which row when.
std::vector<FileRange> ShardWriter::Content::write_spooled() {
  hdf5::write_deflated_rows(file, kImages, [&](std::int64_t row) { return spool->read(row); });
  std::vector<FileRange> places = hdf5::find_deflated_rows(file, kImages).rows;
  hdf5::close_file(std::move(file));
  spool.reset();
  return places;
}

void ShardWriter::Content::set_boxes(std::int64_t index, const ShardRow& row) {
  const auto& m = row.letterbox.m;
  const double determinant = m[0] * m[4] - m[1] * m[3];
  const std::span<float> boxes = tables.boxes.row(index), areas = tables.box_area.row(index);
  const std::span<std::uint8_t> flags = tables.box_flags.row(index);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const LabelBox box = i < row.boxes.size() ? row.boxes[i] : LabelBox{.area = 0};
    const std::array<float, 5> numbers{box.x1, box.y1, box.x2, box.y2,
                                       static_cast<float>(box.class_id)};
    std::copy(numbers.begin(), numbers.end(), boxes.begin() + static_cast<std::ptrdiff_t>(5 * i));
    flags[i] = box.flags;
    areas[i] = area_of(box, determinant);
  }
  tables.box_count.row(index)[0] = static_cast<std::int32_t>(row.boxes.size());
}

void ShardWriter::Content::set(std::int64_t index, const ShardRow& row) {
  set_boxes(index, row);
  tables.label.row(index)[0] = row.label;
  for (std::size_t i = 0; i < 6; ++i)
    tables.letterbox.row(index)[i] = static_cast<float>(row.letterbox.m[i]);
  tables.source_size.row(index)[0] = row.source_width;
  tables.source_size.row(index)[1] = row.source_height;
  tables.picture_id.row(index)[0] = row.source_hash.prefix();
  if (tables.tiled) {
    tables.tile.row(index)[0] = row.tile;
    const std::span<float> corners = tables.whole_box.row(index);
    std::ranges::fill(corners, 0.0f);
    for (std::size_t i = 0; i < row.whole_boxes.size(); ++i)
      std::ranges::copy(row.whole_boxes[i], corners.begin() + static_cast<std::ptrdiff_t>(4 * i));
  }
  tables.view.row(index)[0] = row.view;
  tables.status.row(index)[0] = row.status;
  std::copy(row.source_hash.bytes.begin(), row.source_hash.bytes.end(),
            tables.source_hash.row(index).begin());
  std::ranges::fill(tables.augment.row(index), 0.0f);
  std::ranges::copy(row.augment, tables.augment.row(index).begin());
}

void ShardWriter::Content::write_tables() {
  std::size_t next = 0;
  for_each_table(tables, 0, 0, [&](const char*, const auto& table, const auto&) {
    temporary.file().write_at(table_offsets[next++], std::as_bytes(std::span(table.elements)));
  });
  temporary.file().write_at(checksums_offset, std::as_bytes(std::span(checksums)));
  tables = {};
  checksums = {};  // last: finish() takes empty ones for a sign that all of this is done
}

ShardWriter::ShardWriter(const std::filesystem::path& temporary_folder, const ShardSpec& spec) {
  validate(spec);
  content_ = std::make_unique<Content>(temporary_folder, spec);
  content_->named([&] { content_->lay_out(); });
}
ShardWriter::~ShardWriter() = default;
ShardWriter::ShardWriter(ShardWriter&&) noexcept = default;
ShardWriter& ShardWriter::operator=(ShardWriter&&) noexcept = default;

std::int64_t ShardWriter::rows() const noexcept { return content_->rows; }
std::int64_t ShardWriter::rows_written() const noexcept { return content_->written; }

void ShardWriter::write_row(std::int64_t index, const ShardRow& row,
                            std::span<const std::uint8_t> image) {
  put_row(index, row, image);
  settle_row(index);
}

void ShardWriter::put_row(std::int64_t index, const ShardRow& row,
                          std::span<const std::uint8_t> image) {
  Content& content = *content_;
  const std::string which = "row " + std::to_string(index) + " ";
  require(index >= 0 && index < content.rows,
          which + "is not one of " + std::to_string(content.rows));
  require(image.size() == static_cast<std::size_t>(content.image_bytes),
          which + "has " + std::to_string(image.size()) + " image bytes, must be " +
              std::to_string(content.image_bytes));
  require(row.boxes.size() <= static_cast<std::size_t>(content.spec.max_boxes),
          which + "has " + std::to_string(row.boxes.size()) + " boxes, max_boxes is " +
              std::to_string(content.spec.max_boxes));
  require(!content.spec.tiled || row.whole_boxes.size() == row.boxes.size(),
          which + "has " + std::to_string(row.whole_boxes.size()) + " whole boxes for " +
              std::to_string(row.boxes.size()));
  require(row.augment.empty() || row.augment.size() == content.spec.augment_names.size(),
          which + "has " + std::to_string(row.augment.size()) + " parameters, must be " +
              std::to_string(content.parameters()));
  require(!content.taken[static_cast<std::size_t>(index)], which + "is written twice");
  content.set(index, row);
  const auto at = static_cast<std::size_t>(index);
  content.checksums[at] = row_checksum(content.tables, index, image, content.spec.names[at]);
  if (content.spool) {
    content.spool->write(index, image);
  } else {
    content.temporary.file().write_at(content.images_offset + index * content.image_bytes,
                                      std::as_bytes(image));
  }
}

void ShardWriter::settle_row(std::int64_t index) {
  Content& content = *content_;
  require(!content.taken[static_cast<std::size_t>(index)].exchange(true),
          "row " + std::to_string(index) + " is written twice");
  // A shard may wait long until it is finished, so its tables leave the memory. HDF5 still has the
  // file of compressed rows open.
  if (++content.written == content.rows && !content.spool) content.write_tables();
}

Hash128 ShardWriter::finish(const std::filesystem::path& folder) {
  Content& content = *content_;
  require(content.written == content.rows, "finished with " + std::to_string(content.written) +
                                               " of " + std::to_string(content.rows) +
                                               " rows written");
  const std::vector<FileRange> pixels =
      content.spool
          ? content.named([&] { return content.write_spooled(); })
          : std::vector<FileRange>{{content.images_offset, content.rows * content.image_bytes}};
  if (content.spec.compression != Compression::none) content.write_tables();
  require(content.checksums.empty(), "finished although its tables could not be written");
  const Hash128 digest = shard_digest(content.temporary.file(), pixels);
  const std::filesystem::path name = folder / (digest.hex() + ".h5");
  if (content.temporary.link_as(name)) return digest;
  try {
    ShardReader(name).verify_rows();
    // As young as a new one: gc spares the shards that are younger than a plan.
    set_time_to_now(name);
  } catch (const Error&) {
    // The name promises these bytes (the pixels by way of the row checksums) and the file has
    // others: a whole copy repairs it.
    content.temporary.replace(name);
  }
  return digest;
}

}  // namespace letterpress
