#include "letterpress/shards/plan.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "ledger_columns.h"
#include "letterpress/base/error.h"

namespace letterpress {
namespace {

// With outlines of boxes; 3 without them where pictures are tiled, 2 where they are whole.
constexpr int kPlanFormat = 4;

bool has_outlines(const std::vector<PlannedPicture>& pictures) {
  return std::ranges::any_of(pictures, [](const PlannedPicture& picture) {
    return std::ranges::any_of(picture.boxes,
                               [](const LabelBox& box) { return !box.outline.empty(); });
  });
}

// Only where there is one: plans without outlines stay as they were.
template <class Sink, class Boxes>
void write_outlines(Sink& sink, const Boxes& boxes) {
  std::vector<std::uint8_t> counts;
  std::vector<std::uint16_t> x, y;
  for (const LabelBox& box : boxes) {
    counts.push_back(static_cast<std::uint8_t>(box.outline.size()));
    for (const OutlinePoint& point : box.outline) x.push_back(point.x), y.push_back(point.y);
  }
  sink.write("box.outline", std::span<const std::uint8_t>(counts));
  sink.write("outline.x", std::span<const std::uint16_t>(x));
  sink.write("outline.y", std::span<const std::uint16_t>(y));
}

template <class Sink>
void write_pictures(Sink& sink, const std::vector<PlannedPicture>& pictures) {
  using Picture = PlannedPicture;
  write_field<std::int32_t>(sink, "picture.entry", pictures,
                            [](const Picture& picture) { return picture.entry; });
  write_field<std::int64_t>(sink, "picture.offset", pictures,
                            [](const Picture& picture) { return picture.offset; });
  write_field<std::int64_t>(sink, "picture.length", pictures,
                            [](const Picture& picture) { return picture.length; });
  write_field<std::int32_t>(sink, "picture.label", pictures,
                            [](const Picture& picture) { return picture.label; });
  write_field<std::int64_t>(sink, "picture.boxes", pictures,
                            [](const Picture& picture) { return picture.boxes.size(); });
  const auto boxes = elements_of(pictures, &Picture::boxes);
  write_field<float>(sink, "box.x1", boxes, [](const LabelBox& box) { return box.x1; });
  write_field<float>(sink, "box.y1", boxes, [](const LabelBox& box) { return box.y1; });
  write_field<float>(sink, "box.x2", boxes, [](const LabelBox& box) { return box.x2; });
  write_field<float>(sink, "box.y2", boxes, [](const LabelBox& box) { return box.y2; });
  write_field<std::int32_t>(sink, "box.class", boxes,
                            [](const LabelBox& box) { return box.class_id; });
  write_field<std::uint8_t>(sink, "box.flags", boxes,
                            [](const LabelBox& box) { return box.flags; });
  write_field<float>(sink, "box.area", boxes, [](const LabelBox& box) { return box.area; });
  if (has_outlines(pictures)) write_outlines(sink, boxes);
}

bool has_tiles(const std::vector<PlannedShard>& shards) {
  return std::ranges::any_of(shards,
                             [](const PlannedShard& shard) { return !shard.row_tile.empty(); });
}

template <class Sink>
void write_shards(Sink& sink, const std::vector<PlannedShard>& shards) {
  write_field<std::int32_t>(sink, "shard.index", shards,
                            [](const PlannedShard& shard) { return shard.index; });
  write_field<std::int32_t>(sink, "shard.group", shards,
                            [](const PlannedShard& shard) { return shard.group; });
  write_field<std::int64_t>(sink, "shard.rows", shards,
                            [](const PlannedShard& shard) { return shard.row_picture.size(); });
  write_field<std::int32_t>(sink, "row.picture", elements_of(shards, &PlannedShard::row_picture),
                            std::identity());
  write_field<std::int32_t>(sink, "row.view", elements_of(shards, &PlannedShard::row_view),
                            std::identity());
  if (has_tiles(shards))
    write_field<std::int32_t>(sink, "row.tile", elements_of(shards, &PlannedShard::row_tile),
                              std::identity());
}

template <class Sink>
void write_copies(Sink& sink, const Plan& plan) {
  using Copy = CopiedRow;
  const auto copies = elements_of(plan.shards, &PlannedShard::copies);
  write_field<std::int64_t>(sink, "shard.copies", plan.shards,
                            [](const PlannedShard& shard) { return shard.copies.size(); });
  write_field<std::int32_t>(sink, "copy.source", copies,
                            [](const Copy& copy) { return copy.source; });
  write_field<std::int64_t>(sink, "copy.row", copies, [](const Copy& copy) { return copy.row; });
  write_field<std::int32_t>(sink, "copy.entry", copies,
                            [](const Copy& copy) { return copy.entry; });
  write_texts(sink, "source", plan.sources, [](const Hash128& digest) { return digest.hex(); });
}

template <class Sink>
void write_columns(Sink& sink, const Plan& plan) {
  sink.write("snapshot", hdf5::to_columns({to_json(plan.snapshot)}));
  write_ledger_columns(sink, plan.ledger);
  write_pictures(sink, plan.pictures);
  write_shards(sink, plan.shards);
  write_copies(sink, plan);
}

void read_outlines(hdf5::ColumnReader& reader, std::vector<LabelBox>& boxes) {
  if (!reader.has("box.outline")) return;
  const std::vector<std::uint8_t> counts = reader.read<std::uint8_t>("box.outline");
  check_length("box.outline", counts.size(), boxes.size());
  const std::vector<std::uint16_t> x = reader.read<std::uint16_t>("outline.x");
  const std::vector<std::uint16_t> y = reader.read<std::uint16_t>("outline.y");
  check_length("outline.y", y.size(), x.size());
  check_counts("box.outline", {counts.begin(), counts.end()}, x.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (counts[i] > kMaxOutlinePoints) {
      throw Error("column box.outline holds " + std::to_string(counts[i]) + ", must be 0.." +
                  std::to_string(kMaxOutlinePoints));
    }
    for (std::size_t k = 0; k < counts[i]; ++k, ++next)
      boxes[i].outline.push_back({x[next], y[next]});
  }
}

std::vector<LabelBox> read_boxes(hdf5::ColumnReader& reader) {
  const std::vector<float> x1 = reader.read<float>("box.x1");
  std::vector<LabelBox> boxes(x1.size());
  for (std::size_t i = 0; i < x1.size(); ++i) boxes[i].x1 = x1[i];
  read_field<float>(reader, "box.y1", boxes, [](LabelBox& box, float value) { box.y1 = value; });
  read_field<float>(reader, "box.x2", boxes, [](LabelBox& box, float value) { box.x2 = value; });
  read_field<float>(reader, "box.y2", boxes, [](LabelBox& box, float value) { box.y2 = value; });
  read_field<std::int32_t>(reader, "box.class", boxes,
                           [](LabelBox& box, std::int32_t value) { box.class_id = value; });
  read_field<std::uint8_t>(reader, "box.flags", boxes,
                           [](LabelBox& box, std::uint8_t value) { box.flags = value; });
  read_field<float>(reader, "box.area", boxes,
                    [](LabelBox& box, float value) { box.area = value; });
  read_outlines(reader, boxes);
  return boxes;
}

std::vector<PlannedPicture> read_pictures(hdf5::ColumnReader& reader) {
  using Picture = PlannedPicture;
  const std::vector<std::int32_t> entries = reader.read<std::int32_t>("picture.entry");
  std::vector<Picture> pictures(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) pictures[i].entry = entries[i];
  read_field<std::int64_t>(reader, "picture.offset", pictures,
                           [](Picture& picture, std::int64_t value) { picture.offset = value; });
  read_field<std::int64_t>(reader, "picture.length", pictures,
                           [](Picture& picture, std::int64_t value) { picture.length = value; });
  read_field<std::int32_t>(reader, "picture.label", pictures,
                           [](Picture& picture, std::int32_t value) { picture.label = value; });
  const std::vector<std::int64_t> counts = reader.read<std::int64_t>("picture.boxes");
  check_length("picture.boxes", counts.size(), pictures.size());
  std::vector<LabelBox> boxes = read_boxes(reader);
  check_counts("picture.boxes", counts, boxes.size());
  auto next = boxes.begin();
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    pictures[i].boxes.assign(std::move_iterator(next), std::move_iterator(next + counts[i]));
    next += counts[i];
  }
  return pictures;
}

std::vector<PlannedShard> read_shards(hdf5::ColumnReader& reader) {
  const std::vector<std::int32_t> indices = reader.read<std::int32_t>("shard.index");
  std::vector<PlannedShard> shards(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) shards[i].index = indices[i];
  read_field<std::int32_t>(reader, "shard.group", shards,
                           [](PlannedShard& shard, std::int32_t value) { shard.group = value; });
  const std::vector<std::int64_t> counts = reader.read<std::int64_t>("shard.rows");
  check_length("shard.rows", counts.size(), shards.size());
  const std::vector<std::int32_t> pictures = reader.read<std::int32_t>("row.picture");
  const std::vector<std::int32_t> views = reader.read<std::int32_t>("row.view");
  check_counts("shard.rows", counts, pictures.size());
  check_length("row.view", views.size(), pictures.size());
  const std::vector<std::int32_t> tiles =
      reader.has("row.tile") ? reader.read<std::int32_t>("row.tile") : std::vector<std::int32_t>{};
  if (!tiles.empty()) check_length("row.tile", tiles.size(), pictures.size());
  std::ptrdiff_t next = 0;
  for (std::size_t i = 0; i < shards.size(); next += counts[i++]) {
    shards[i].row_picture.assign(pictures.begin() + next, pictures.begin() + next + counts[i]);
    shards[i].row_view.assign(views.begin() + next, views.begin() + next + counts[i]);
    if (!tiles.empty())
      shards[i].row_tile.assign(tiles.begin() + next, tiles.begin() + next + counts[i]);
  }
  return shards;
}

void read_copies(hdf5::ColumnReader& reader, Plan& plan) {
  const std::vector<std::int64_t> counts = reader.read<std::int64_t>("shard.copies");
  check_length("shard.copies", counts.size(), plan.shards.size());
  const std::vector<std::int32_t> sources = reader.read<std::int32_t>("copy.source");
  std::vector<CopiedRow> copies(sources.size());
  for (std::size_t i = 0; i < copies.size(); ++i) copies[i].source = sources[i];
  read_field<std::int64_t>(reader, "copy.row", copies,
                           [](CopiedRow& copy, std::int64_t value) { copy.row = value; });
  read_field<std::int32_t>(reader, "copy.entry", copies,
                           [](CopiedRow& copy, std::int32_t value) { copy.entry = value; });
  for (const std::string& digest : reader.read_strings("source"))
    plan.sources.push_back(Hash128::from_hex(digest));
  check_counts("shard.copies", counts, copies.size());
  auto next = copies.begin();
  for (std::size_t i = 0; i < plan.shards.size(); next += counts[i++])
    plan.shards[i].copies.assign(next, next + counts[i]);
}

void check_index(const std::string& name, std::int64_t index, std::size_t n) {
  if (index >= 0 && static_cast<std::size_t>(index) < n) return;
  throw Error("column " + name + " holds " + std::to_string(index) + ", must be 0.." +
              std::to_string(n) + " (exclusive)");
}

void check_indices(const Plan& plan) {
  for (const PlannedPicture& picture : plan.pictures)
    check_index("picture.entry", picture.entry, plan.ledger.size());
  for (const PlannedShard& shard : plan.shards) {
    check_index("shard.index", shard.index, plan.snapshot.shards.size());
    for (const std::int32_t picture : shard.row_picture)
      check_index("row.picture", picture, plan.pictures.size());
    for (const CopiedRow& copy : shard.copies) {
      check_index("copy.source", copy.source, plan.sources.size());
      check_index("copy.entry", copy.entry, plan.ledger.size());
    }
  }
}

Plan read_columns(hdf5::ColumnReader& reader, const std::string& where) {
  const std::vector<std::string> snapshot = reader.read_strings("snapshot");
  check_length("snapshot", snapshot.size(), 1);
  Plan plan{.snapshot = snapshot_from_json(snapshot.front(), where),
            .ledger = read_ledger_columns(reader),
            .pictures = read_pictures(reader),
            .shards = read_shards(reader)};
  read_copies(reader, plan);
  check_indices(plan);
  return plan;
}

}  // namespace

Hash128 plan_digest(const Plan& plan) {
  hdf5::ColumnHasher hasher;
  write_columns(hasher, plan);
  return hasher.digest();
}

void write_plan(const std::filesystem::path& file, const Plan& plan) {
  const bool tiled = has_tiles(plan.shards) || has_tiles(plan.ledger);
  const int format = has_outlines(plan.pictures) ? kPlanFormat : tiled ? 3 : 2;
  hdf5::ColumnWriter writer(file, "plan", format);
  write_columns(writer, plan);
  writer.finish();
}

Plan read_plan(const std::filesystem::path& file) {
  hdf5::ColumnReader reader(file, "plan", kPlanFormat);
  return reader.checked([&] { return read_columns(reader, file.string() + ": /snapshot"); });
}

}  // namespace letterpress
