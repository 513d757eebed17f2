#include "preprocess/commands/explain.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>

#include "letterpress/annotations/annotations.h"
#include "letterpress/annotations/picture_files.h"
#include "letterpress/base/error.h"
#include "letterpress/page/png.h"
#include "letterpress/shards/open_shard.h"
#include "letterpress/shards/tiles.h"
#include "letterpress/shards/unpacked_folder.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/drawn_boxes.h"
#include "preprocess/commands/text.h"
#include "preprocess/draw/draw.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace {

// The one stored picture at this path, with this name, or with this in its name.
LedgerEntry named_picture(const std::vector<LedgerEntry>& ledger, const std::string& name) {
  std::vector<const LedgerEntry*> named, like;
  for (const LedgerEntry& entry : ledger) {
    if (entry.state != InputState::stored) continue;
    if (entry.path == name) return entry;
    if (entry.name == name) named.push_back(&entry);
    if (entry.name.find(name) != std::string::npos) like.push_back(&entry);
  }
  if (named.size() > 1)
    throw Error({.where = "--explain " + name,
                 .what = joined(named.size(), " pictures have this name, for instance ",
                                named[0]->path, " and ", named[1]->path),
                 .fix = "give the whole path of one"},
                Exit::usage);
  const std::vector<const LedgerEntry*>& found = named.empty() ? like : named;
  if (found.size() == 1) return *found.front();
  if (found.empty())
    throw Error({.where = "--explain " + name,
                 .what = "no stored picture has this in its name",
                 .fix = "`ledger` lists them"},
                Exit::no_input);
  throw Error({.where = "--explain " + name,
               .what = joined(found.size(), " pictures have this in their names, for instance ",
                              found[0]->name, " and ", found[1]->name),
               .fix = "give more of the name"},
              Exit::usage);
}

RowPlace place_of(const LedgerEntry& entry, int view, int tile) {
  std::int32_t last = 0;
  bool has_tile = false;
  for (const RowRun& run : entry.rows) {
    last = std::max(last, run.tile);
    has_tile |= run.tile == tile;
    if (run.tile == tile && view >= run.view && view < run.view + run.n)
      return {run.shard, run.row + view - run.view};
  }
  if (!has_tile) {
    throw Error({.where = joined("--of-tile ", tile),
                 .what = joined(entry.name, " has no such tile",
                                last > 0 ? joined("; its last is ", last) : "")},
                Exit::no_input);
  }
  throw Error({.where = joined("--view ", view),
               .what = joined(entry.name, " has views 0 to ", entry.views)},
              Exit::no_input);
}

// The picture's pixels as the build had them.
Picture decode_again(const Store& store, const LedgerEntry& entry, const Recipe& recipe, int side,
                     std::int32_t view) {
  std::vector<std::byte> bytes;
  const FileBytes place = find_picture(entry.path, unpacked_folder(store.folder()));
  PictureFiles(unpacked_folder(store.folder())).read(place.path, place.offset, place.length, bytes);
  if (hash128(bytes) != entry.picture_hash) {
    throw Error({.where = entry.path,
                 .what = "has other bytes than when its rows were made",
                 .fix = "run `build`, which draws them anew"});
  }
  const Expected<PictureInfo> info = probe(bytes, entry.path,
                                           {.max_pixels = std::numeric_limits<std::int64_t>::max(),
                                            .depth = recipe.depth(),
                                            .truncated = recipe.truncated()});
  if (!info) throw Error(to_string(info.reject()), Exit::data);
  Picture picture;
  const double scale = needed_scale(recipe, entry.width, entry.height, side, view);
  if (const auto reject = decode(bytes, *info, scale, entry.path, picture))
    throw Error(to_string(*reject), Exit::data);
  return picture;
}

std::string drawn_text(const Recipe& recipe, const ShardRow& row) {
  const auto& m = row.letterbox.m;
  std::string text = joined("  resampled: x' = ", m[0], " x + ", m[1], " y + ", m[2],
                            ", y' = ", m[3], " x + ", m[4], " y + ", m[5], "\n");
  for (const RecipeStepInfo& step : recipe.steps()) {
    text += "  " + step.kind + ":";
    for (std::size_t i = step.first; i < step.first + step.count; ++i) {
      text += joined(i == step.first ? " " : ", ",
                     recipe.parameter_names()[i].substr(step.kind.size() + 1), " ", row.augment[i]);
    }
    text += "\n";
  }
  return text;
}

struct Redrawn {
  std::vector<std::uint8_t> image;
  std::vector<Tile> steps;
};

Redrawn draw_again(const Recipe& recipe, const ShardRow& row, const Picture& picture, int side) {
  Redrawn result{std::vector<std::uint8_t>(3 * static_cast<std::size_t>(side) *
                                           static_cast<std::size_t>(side)),
                 {}};
  const RenderWorkspacePointer workspace = make_render_workspace();
  render_stored({recipe, row, picture, side}, *workspace, result.image, [&](std::size_t step) {
    const bool changed = result.steps.empty() || result.image != result.steps.back().rgb;
    if (changed)
      result.steps.push_back(
          {result.image, side, side, step == 0 ? "resampled" : recipe.steps()[step - 1].kind, {}});
  });
  return result;
}

void write_steps(std::vector<Tile> steps, std::vector<DrawnBox> boxes,
                 const ExplainRequest& request) {
  steps.push_back(steps.back());
  steps.back().caption = "its boxes";
  steps.back().boxes = std::move(boxes);
  const auto columns = static_cast<int>(std::min<std::size_t>(steps.size(), 4));
  const Sheet sheet = contact_sheet(steps, columns, request.tile);
  const std::vector<std::byte> png = encode_png(sheet.rgb, sheet.width, sheet.height);
  write_out(request.out, std::string_view(reinterpret_cast<const char*>(png.data()), png.size()));
}

}  // namespace

int explain_row(const ExplainRequest& request) {
  const Store store = Store::open(request.store);
  const Snapshot snapshot = chosen_snapshot(store, request.snapshot);
  const LedgerEntry entry = named_picture(store.ledger(snapshot.generation), request.name);
  const RowPlace place = place_of(entry, request.view, request.of_tile);
  const ShardReader shard = open_shard(store, snapshot, static_cast<std::size_t>(place.shard));
  const int side = shard.spec().side;
  std::vector<std::uint8_t> stored(static_cast<std::size_t>(shard.image_bytes()));
  shard.read_images(place.row, 1, stored.data());
  shard.verify_row(place.row, stored);

  const Recipe recipe = Recipe::from_json(shard.spec().recipe_json, shard.path().string());
  ShardRow row;
  row.letterbox = shard.letterbox(place.row);
  row.view = shard.view(place.row);
  row.augment.assign(shard.augment(place.row).begin(), shard.augment(place.row).end());
  row.tile = shard.tile(place.row);
  std::cout << entry.name << tile_text(shard, place.row) << " view " << row.view << ": row "
            << place.row << " of " << shard.path().filename().string() << ", recipe "
            << snapshot.identity.recipe_name << '\n'
            << (row.view == 0 ? "  the clean letterbox, nothing was drawn\n"
                              : drawn_text(recipe, row));

  const Redrawn again =
      draw_again(recipe, row, decode_again(store, entry, recipe, side, row.view), side);
  write_steps(again.steps, drawn_boxes(shard, place.row, snapshot.classes), request);
  if (again.image == stored) {
    std::cout << "  drawn again: the same " << stored.size() << " bytes; " << request.out
              << " shows the steps\n";
    return 0;
  }
  std::size_t differ = 0;
  for (std::size_t i = 0; i < stored.size(); ++i) differ += stored[i] != again.image[i];
  std::cout << "  drawn again: " << differ << " of " << stored.size()
            << " bytes differ; the shard was made by " << shard.spec().producer << '\n';
  return static_cast<int>(Exit::data);
}

}  // namespace letterpress
