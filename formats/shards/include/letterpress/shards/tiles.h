#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "letterpress/shards/letterbox.h"

namespace letterpress {

/// How big pictures are cut: each tile is a row of its own, and one scale holds for the whole
/// store. Part of the recipe's JSON, so of the rows' identity.
struct TileRule {
  double overlap = 0.2;   ///< 0..0.9, share of a tile that its neighbour shows too, at least
  double scale = 1;       ///< frame pixels per source pixel, above 0, at most 1
  double background = 1;  ///< 0..1, share of the train tiles without a box that are kept
  bool operator==(const TileRule&) const = default;
};
/// {"overlap":0.2,"scale":1.0,"background":1.0}
std::string to_json(const TileRule& rule);
/// Throws Error naming the field and the values that it may have.
TileRule tile_rule_from_json(const std::string& text);
/// Of a recipe's JSON as stores and checkpoints keep it; none: pictures are rows as a whole.
std::optional<TileRule> tile_rule_of_recipe(const std::string& recipe_json);

class ShardReader;
/// " tile 12 at 1024,512" of a row, its place in pixels of the source; empty where pictures are
/// whole.
std::string tile_text(const ShardReader& shard, std::int64_t row);

/// What one tile shows.
struct TilePlace {
  int x = 0, y = 0, width = 0, height = 0;  ///< pixels of the source
  /// Scale, then offset. Whole numbers with scale 1, so that a clean tile is a crop of the picture.
  Affine source_to_frame{};
};

/// The tiles of one picture: a function of its size and the rule, never of its boxes, so that who
/// predicts has the same. Numbered row by row from 0. Neighbours lie at even distances and overlap
/// by `overlap` or, where the picture's size wants it, by more; none reaches beyond the picture. So
/// a box with no side longer than `overlap` lies whole in one tile at least. A picture that is
/// smaller than a tile in a direction has one tile there, with padding beside it, never enlarged.
class TileGrid {
 public:
  /// side: of the frame, pixels. letterbox: says where a smaller picture lies.
  TileGrid(int source_width, int source_height, int side, const TileRule& rule,
           const LetterboxRule& letterbox);

  int n() const noexcept { return across_.n * down_.n; }
  int columns() const noexcept { return across_.n; }
  int rows() const noexcept { return down_.n; }
  int overlap() const noexcept { return overlap_; }  ///< pixels of the source
  int span() const noexcept { return span_; }        ///< side of a tile, pixels of the source
  TilePlace place(int number) const;

 private:
  struct Axis {
    int length = 0, n = 1;  // pixels of the source; tiles along it
  };
  int start(const Axis& axis, int index) const;
  double padding(int length) const;

  int side_, span_, overlap_;
  double scale_;
  bool centred_;
  Axis across_, down_;
};

}  // namespace letterpress
