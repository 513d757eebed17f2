#include "preprocess/plan/tile_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "letterpress/base/hash.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

// A picture whose tiles are looked at.
struct TiledPicture {
  const Recipe& recipe;
  int side = 0;
  const Hash128& hash;
  std::int32_t width = 0, height = 0;
  bool train = false;
  std::span<const LabelBox> boxes;

  TileGrid grid() const { return {width, height, side, *recipe.tiles(), recipe.letterbox()}; }
};

TiledPicture tiled(const Candidate& candidate, const Recipe& recipe, int side) {
  return {recipe,
          side,
          candidate.picture_hash,
          candidate.width,
          candidate.height,
          candidate.split == "train",
          candidate.boxes};
}

enum class InTiles { outside, cut, whole };

// What tiles hold of a picture's boxes.
struct TileContents {
  std::vector<bool> has_box;   // by tile
  std::vector<InTiles> boxes;  // by box
};

bool overlaps(const LabelBox& box, const TilePlace& place) {
  return static_cast<double>(box.x1)<place.x + place.width&& static_cast<double>(box.x2)> place.x &&
         static_cast<double>(box.y1)<place.y + place.height&& static_cast<double>(box.y2)> place.y;
}

TileContents contents_of(const TiledPicture& picture) {
  const TileGrid grid = picture.grid();
  TileContents contents{std::vector<bool>(static_cast<std::size_t>(grid.n()), false),
                        std::vector<InTiles>(picture.boxes.size(), InTiles::outside)};
  for (int tile = 0; tile < grid.n(); ++tile) {
    const TilePlace place = grid.place(tile);
    for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
      if (!overlaps(picture.boxes[i], place)) continue;
      const auto box = box_in_frame(picture.boxes[i], place.source_to_frame, picture.side,
                                    &picture.recipe.boxes());
      if (!box) continue;
      contents.has_box[static_cast<std::size_t>(tile)] = true;
      contents.boxes[i] =
          std::max(contents.boxes[i], (box->flags & kCut) != 0 ? InTiles::cut : InTiles::whole);
    }
  }
  return contents;
}

// Evenly spread over 0..1, the same for a tile wherever it is looked at.
double draw_of(const Hash128& picture, std::int32_t tile) {
  Hasher hasher;
  hasher.add(std::as_bytes(std::span(picture.bytes))).add_value(tile);
  return static_cast<double>(hasher.digest64() >> 11) * 0x1p-53;
}

std::vector<std::int32_t> chosen_of(const TiledPicture& picture, const TileContents& contents) {
  const double share = picture.train ? picture.recipe.tiles()->background : 1;
  std::vector<std::int32_t> chosen;
  std::int32_t first = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t tile = 0; tile < static_cast<std::int32_t>(contents.has_box.size()); ++tile) {
    const bool has_box = contents.has_box[static_cast<std::size_t>(tile)];
    const double drawn = has_box || share == 1 ? 0 : draw_of(picture.hash, tile);
    if (drawn < least) first = tile;
    least = std::min(least, drawn);
    if (has_box || share == 1 || drawn < share) chosen.push_back(tile);
  }
  if (chosen.empty()) chosen.push_back(first);
  return chosen;
}

TileAccounting account_for(const TileContents& contents, const std::vector<std::int32_t>& chosen) {
  TileAccounting sums{.laid = static_cast<std::int64_t>(contents.has_box.size()),
                      .stored = static_cast<std::int64_t>(chosen.size())};
  sums.left_out = sums.laid - sums.stored;
  sums.background = std::ranges::count_if(
      chosen, [&](std::int32_t tile) { return !contents.has_box[static_cast<std::size_t>(tile)]; });
  sums.boxes_whole = std::ranges::count(contents.boxes, InTiles::whole);
  sums.boxes_cut = std::ranges::count(contents.boxes, InTiles::cut);
  sums.boxes_outside = std::ranges::count(contents.boxes, InTiles::outside);
  return sums;
}

// times: -1 takes it out again.
void add(TileAccounting& sums, const TileAccounting& one, int times = 1) {
  sums.laid += times * one.laid;
  sums.stored += times * one.stored;
  sums.background += times * one.background;
  sums.left_out += times * one.left_out;
  sums.boxes_whole += times * one.boxes_whole;
  sums.boxes_cut += times * one.boxes_cut;
  sums.boxes_outside += times * one.boxes_outside;
}

// Boxes that are whole in no tile.
struct CutBoxes {
  double largest = 0;     // side, pixels of the source, of those that the recipe would keep whole
  std::int64_t tiny = 0;  // others: the recipe keeps none so small
  std::int64_t kept = 0;
};

CutBoxes cut_boxes(const Inputs& inputs, const Recipe& recipe, int side) {
  const double smallest = recipe.boxes().min_side / recipe.tiles()->scale;
  CutBoxes cut;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    const TileContents contents = contents_of(tiled(candidate, recipe, side));
    for (std::size_t i = 0; i < contents.boxes.size(); ++i) {
      if (contents.boxes[i] == InTiles::whole) continue;
      const LabelBox& box = candidate.boxes[i];
      const auto [shorter, longer] = std::minmax<double>({box.x2 - box.x1, box.y2 - box.y1});
      if (shorter <= smallest) {
        ++cut.tiny;
        continue;
      }
      ++cut.kept;
      cut.largest = std::max(cut.largest, longer);
    }
  }
  return cut;
}

std::string advice_on(const CutBoxes& cut, const TileGrid& one, double scale) {
  const std::string too_small =
      fmt::format("{} are smaller in the frame than the recipe keeps (min_side), which {} changes",
                  cut.tiny, scale < 1 ? "a larger --scale or another recipe" : "another recipe");
  if (cut.kept == 0) return too_small;
  const double wanted = std::ceil(100 * cut.largest / one.span());
  const std::string fix =
      fmt::format("the largest{} has a side of {:.0f}, and {}",
                  cut.tiny == 0 ? "" : " of the others", cut.largest,
                  wanted <= 90 ? fmt::format("--overlap {:.0f}% keeps {} whole", wanted,
                                             cut.tiny == 0 ? "all of them" : "them")
                               : "a larger --tile or a smaller --scale shows more of them");
  return cut.tiny == 0 ? fix : too_small + "; " + fix;
}

}  // namespace

TileChoice choose_tiles(const Inputs& inputs, const Recipe& recipe, int side) {
  TileChoice choice;
  for (const Candidate& candidate : inputs.candidates) {
    std::vector<std::int32_t>& chosen = choice.tiles.emplace_back();
    if (!candidate.stored()) continue;
    const TiledPicture picture = tiled(candidate, recipe, side);
    const TileContents contents = contents_of(picture);
    chosen = chosen_of(picture, contents);
    add(choice.accounting, account_for(contents, chosen));
  }
  return choice;
}

void note_tiles(const Inputs& inputs, const TileChoice& choice, const Recipe& recipe, int side,
                BuildListener& listener) {
  const TileGrid one(1, 1, side, *recipe.tiles(), recipe.letterbox());
  const auto small = std::ranges::count_if(inputs.candidates, [&](const Candidate& candidate) {
    return candidate.stored() && candidate.width < one.span() && candidate.height < one.span();
  });
  if (small > 0) {
    listener.note(
        fmt::format("{} pictures are smaller than a tile of {} x {} pixels: one row "
                    "each, not enlarged, with padding beside them",
                    small, one.span(), one.span()));
  }
  const TileAccounting& sums = choice.accounting;
  if (sums.boxes_cut + sums.boxes_outside == 0) return;
  const CutBoxes cut = cut_boxes(inputs, recipe, side);
  listener.note(fmt::format(
      "{} of {} boxes are whole in no tile: tiles of {} pixels overlap by {}; {} are cut in every "
      "tile, of {} no tile shows enough; {}",
      sums.boxes_cut + sums.boxes_outside, sums.boxes_whole + sums.boxes_cut + sums.boxes_outside,
      one.span(), one.overlap(), sums.boxes_cut, sums.boxes_outside,
      advice_on(cut, one, recipe.tiles()->scale)));
}

void reject_tiles(const BuildIdentity& identity, const LedgerEntry& entry,
                  const PlannedPicture& picture, TileAccounting& sums) {
  const Recipe recipe = Recipe::from_json(identity.recipe_json, "the plan");
  const TiledPicture tiled{recipe,       identity.side,          entry.picture_hash, entry.width,
                           entry.height, entry.split == "train", picture.boxes};
  const TileContents contents = contents_of(tiled);
  add(sums, account_for(contents, chosen_of(tiled, contents)), -1);
}

std::int64_t count_boxes(const Recipe& recipe, const BuildIdentity& identity,
                         const LedgerEntry& entry, const std::vector<LabelBox>& boxes,
                         std::int32_t tile, std::int32_t view) {
  static const Picture kUnread;
  ShardRow row;
  place_view({recipe,
              {identity.seed, identity.draw_of(view), entry.picture_hash, view},
              kUnread,
              entry.width,
              entry.height,
              boxes,
              identity.side,
              tile},
             row);
  return static_cast<std::int64_t>(row.boxes.size());
}

}  // namespace letterpress
