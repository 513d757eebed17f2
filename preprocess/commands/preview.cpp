#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/page/png.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/drawn_boxes.h"
#include "preprocess/commands/explain.h"
#include "preprocess/commands/text.h"
#include "preprocess/commands/worst_cut.h"
#include "preprocess/draw/draw.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

struct PreviewFlags {
  std::string store, out = "preview.png", split = "train", class_name, explain;
  std::int64_t snapshot = 0;
  int rows = 8;
  int views = 3;
  int tile = 0;  ///< as large as a screen allows
  int view = -1;
  int of_tile = 0;
  bool worst_cut = false;
};

void check_output(const PreviewFlags& flags) {
  if (flags.worst_cut && flags.view == 0)
    throw Error(Message{.where = "--view 0 --worst-cut",
                        .what = "no box is cut in a clean row",
                        .fix = "leave one of the two out"},
                Exit::usage);
  check_output_file("--out", flags.out, {"a PNG file", "\x89PNG"});
  if (const auto ending = std::filesystem::path(flags.out).extension();
      !ending.empty() && ending != ".png" && ending != ".PNG")
    throw Error({.where = "--out " + flags.out,
                 .what = "does not end in .png: it will be a PNG file",
                 .fix = "name one"},
                Exit::usage);
}

std::int32_t class_id(const Snapshot& snapshot, const std::string& name) {
  const auto place = std::find(snapshot.classes.begin(), snapshot.classes.end(), name);
  if (place == snapshot.classes.end())
    throw Error({.where = "--class", .what = unknown_name("class", name, snapshot.classes)},
                Exit::usage);
  return static_cast<std::int32_t>(place - snapshot.classes.begin());
}

bool has_class(const SnapshotReader& reader, const PictureRows& picture, std::int32_t id) {
  const ShardReader& shard = reader.shard(picture.clean.shard);
  if (shard.label(picture.clean.row) == id) return true;
  return std::ranges::count(shard.label_boxes(picture.clean.row), id, &LabelBox::class_id) > 0;
}

// What is shown of a picture: its clean row and some of the others.
using ShownRows = std::vector<RowPlace>;

std::vector<PictureRows> pictures_with_class(const SnapshotReader& reader,
                                             const PreviewFlags& flags) {
  std::vector<PictureRows> all = reader.pictures(flags.split);
  if (!flags.class_name.empty()) {
    const std::int32_t id = class_id(reader.snapshot(), flags.class_name);
    std::erase_if(all, [&](const PictureRows& picture) { return !has_class(reader, picture, id); });
  }
  if (all.empty())
    throw Error({.where = "split " + flags.split,
                 .what = "no picture to show",
                 .fix = "choose another --split or --class"},
                Exit::no_input);
  return all;
}

ShownRows rows_of(const PictureRows& picture, const PreviewFlags& flags) {
  ShownRows rows{picture.clean};
  if (flags.view < 0) {
    const auto n = std::min(picture.augmented.size(), static_cast<std::size_t>(flags.views));
    rows.insert(rows.end(), picture.augmented.begin(),
                picture.augmented.begin() + static_cast<std::ptrdiff_t>(n));
  } else if (flags.view > 0) {
    rows.push_back(picture.augmented.at(static_cast<std::size_t>(flags.view - 1)));
  }
  return rows;
}

// Evenly spaced over all there are, so that two previews of one snapshot show the same.
std::vector<ShownRows> evenly(const std::vector<PictureRows>& all, const PreviewFlags& flags) {
  if (flags.view > static_cast<int>(all.front().augmented.size())) {
    throw Error(
        {.where = joined("--view ", flags.view),
         .what = joined("split ", flags.split, " has views 0 to ", all.front().augmented.size())},
        Exit::no_input);
  }
  const auto n = std::min(all.size(), static_cast<std::size_t>(flags.rows));
  std::vector<ShownRows> chosen;
  for (std::size_t i = 0; i < n; ++i) chosen.push_back(rows_of(all[i * all.size() / n], flags));
  return chosen;
}

// Each row beside its clean one, ordered by how much its most cut box lost.
std::vector<ShownRows> worst_first(const SnapshotReader& reader,
                                   const std::vector<PictureRows>& all, const PreviewFlags& flags) {
  std::vector<std::pair<double, ShownRows>> cut;
  for (const PictureRows& picture : all) {
    for (std::size_t i = 0; i < picture.augmented.size(); ++i) {
      if (flags.view > 0 && flags.view != static_cast<int>(i) + 1) continue;
      const double lost = worst_cut(reader, picture.clean, picture.augmented[i]);
      if (lost > 0) cut.push_back({lost, {picture.clean, picture.augmented[i]}});
    }
  }
  if (cut.empty())
    throw Error({.where = "split " + flags.split,
                 .what = "no augmentation has cut a box",
                 .fix = "preview without --worst-cut"},
                Exit::no_input);
  std::stable_sort(cut.begin(), cut.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  cut.resize(std::min(cut.size(), static_cast<std::size_t>(flags.rows)));
  std::vector<ShownRows> chosen;
  for (auto& [lost, rows] : cut) chosen.push_back(std::move(rows));
  return chosen;
}

Tile tile_of(const SnapshotReader& reader, const RowPlace& place) {
  const ShardReader& shard = reader.shard(place.shard);
  const int side = shard.spec().side;
  Tile tile{.rgb = std::vector<std::uint8_t>(static_cast<std::size_t>(shard.image_bytes())),
            .width = side,
            .height = side,
            .caption = {}};
  shard.read_images(place.row, 1, tile.rgb.data());
  shard.verify_row(place.row, tile.rgb);
  tile.boxes = drawn_boxes(shard, place.row, reader.snapshot().classes);
  // Names of more would hide the picture; colours tell the classes.
  constexpr std::size_t kMostNames = 10;
  if (tile.boxes.size() > kMostNames)
    for (DrawnBox& box : tile.boxes) box.text.clear();
  const std::string file = std::filesystem::path(shard.name(place.row)).filename().string();
  const std::int32_t label = shard.label(place.row);
  const std::string class_name =
      label < 0 ? "" : " " + reader.snapshot().classes.at(static_cast<std::size_t>(label));
  const std::string where = tile_text(shard, place.row);
  const std::size_t at = std::min(where.find(" at "), where.size());
  tile.caption = file + class_name;
  tile.caption_end =
      joined(where.substr(0, at), " ",
             shard.view(place.row) == 0 ? "clean" : joined("view ", shard.view(place.row)));
  tile.caption_more = where.substr(at);
  return tile;
}

// Of the classes of the boxes that are drawn, by their colours.
std::map<int, std::string> names_of(const std::vector<Tile>& tiles,
                                    const std::vector<std::string>& classes) {
  std::map<int, std::string> names;
  for (const Tile& tile : tiles)
    for (const DrawnBox& box : tile.boxes)
      names[box.colour_index] = classes.at(static_cast<std::size_t>(box.colour_index));
  return names;
}

constexpr int kTile = 224, kSmallestTile = 64;

// How many pictures are beside each other on a sheet, and the pixels of a row.
struct SheetForm {
  std::size_t beside = 1;
  int tile = kTile;
};

// A sheet that is higher than a screen puts several pictures beside each other, as many as a screen
// is wide; where that is not enough and no --tile was given, rows are smaller. columns: of one
// picture.
SheetForm form_of_sheet(std::size_t columns, std::size_t pictures, int tile) {
  constexpr std::size_t kScreenWidth = 1900, kScreenHeight = 1020;  // and a line of class names
  SheetForm form{.tile = tile > 0 ? tile : kTile};
  while (true) {
    const auto step = static_cast<std::size_t>(form.tile) + 6,
               line = static_cast<std::size_t>(form.tile) + 24;
    const auto is_too_high = [&] {
      return (pictures + form.beside - 1) / form.beside * line > kScreenHeight;
    };
    form.beside = 1;
    while (is_too_high() && (form.beside + 1) * columns * step <= kScreenWidth) ++form.beside;
    if (tile > 0 || !is_too_high() || form.tile <= kSmallestTile) return form;
    form.tile -= 8;
  }
}

int run_preview(const PreviewFlags& flags) {
  check_output(flags);
  const Store store = Store::open(flags.store);
  Snapshot snapshot = chosen_snapshot(store, flags.snapshot);
  check_not_an_input(flags.out, store, snapshot);
  if (!flags.explain.empty()) {
    return explain_row({flags.store, flags.explain, flags.snapshot, flags.view < 0 ? 1 : flags.view,
                        flags.of_tile, flags.out, flags.tile > 0 ? flags.tile : kTile});
  }
  const SnapshotReader reader(store, std::move(snapshot));
  const std::vector<PictureRows> all = pictures_with_class(reader, flags);
  const std::vector<ShownRows> pictures =
      flags.worst_cut ? worst_first(reader, all, flags) : evenly(all, flags);
  std::vector<Tile> tiles;
  std::size_t columns = 1;
  for (const ShownRows& rows : pictures) {
    for (const RowPlace& row : rows) tiles.push_back(tile_of(reader, row));
    columns = std::max(columns, rows.size());
  }
  // One line per picture with its views; clean rows alone fill a square, or a screen's width.
  const auto square =
      static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(tiles.size()))));
  const SheetForm form = form_of_sheet(columns, pictures.size(), flags.tile);
  columns = columns == 1 ? std::max(square, form.beside) : columns * form.beside;
  std::vector<std::string> texts = reader.snapshot().classes;
  for (const Tile& tile : tiles) texts.push_back(tile.caption);
  if (const std::string note = note_on_texts(texts); !note.empty())
    std::cerr << "note: " << note << '\n';
  Sheet sheet = contact_sheet(tiles, static_cast<int>(columns), form.tile);
  add_legend(sheet, names_of(tiles, reader.snapshot().classes));
  const std::vector<std::byte> png = encode_png(sheet.rgb, sheet.width, sheet.height);
  write_out(flags.out, std::string_view(reinterpret_cast<const char*>(png.data()), png.size()));
  std::cout << flags.out << ": " << pictures.size()
            << (reader.snapshot().accounting.tiles ? " tiles of split " : " pictures of split ")
            << flags.split << ", " << tiles.size() << " rows, " << sheet.width << "x"
            << sheet.height << '\n';
  return 0;
}

}  // namespace

Command preview_command() {
  using Flags = PreviewFlags;
  using F = Flag<Flags>;
  FlagTable<Flags> table;
  table.add(
      {store_flag<Flags>(), F("out", &Flags::out, "PNG file to write"), snapshot_flag<Flags>(),
       F("split", &Flags::split, "which split"),
       F("class", &Flags::class_name, "only pictures with this class, as a box or as their label"),
       F("rows", &Flags::rows, "how many pictures").between(1, 1000),
       F("views", &Flags::views, "augmented views beside each picture's clean row").between(0, 64),
       F("explain", &Flags::explain,
         "name of one picture: says what was drawn for its --view, draws it again step by step "
         "and compares"),
       F("view", &Flags::view,
         "only this view beside each picture's clean row, or the one that --explain is about "
         "(else 1); 0: the clean letterbox; -1: all")
           .between(-1, kMostViews),
       F("of-tile", &Flags::of_tile,
         "in a store of tiles, number of the picture's tile that --explain is about")
           .at_least(0),
       F("worst-cut", &Flags::worst_cut,
         "the rows first of which the augmentations have cut off most of a box, or all of it"),
       F("tile", &Flags::tile,
         "pixels of one row on the sheet; 0: as many as a screen has room for, 64 to 224")
           .must_be("64 to 2048 pixels, or 0", [](const Flags& flags) {
             return flags.tile == 0 || (flags.tile >= kSmallestTile && flags.tile <= 2048);
           })});
  return command("preview", "draws a contact sheet of rows with their boxes and class names", table,
                 run_preview);
}

}  // namespace letterpress
