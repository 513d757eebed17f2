#include "preprocess/options/tile_flags.h"

#include "letterpress/base/error.h"
#include "letterpress/base/side.h"

namespace letterpress {
namespace {

using O = BuildOptions;
using F = Flag<O>;

[[noreturn]] void refuse_size_of_tile(const O& options) {
  throw Error(
      {.where = "--size " + std::to_string(options.side),
       .what = "with --tile " + std::to_string(options.tile) + ", which is the frame's side",
       .fix = "leave --size out"},
      Exit::usage);
}

void check_tile(const O& options) {
  if (options.tile > 0 && options.side != O{}.side && options.side != options.tile)
    refuse_size_of_tile(options);
}

// What has no meaning is not stored: builds without tiles have the configuration that they had
// before there were any.
FlagValue when_tiled(const O& options, FlagValue value) {
  return options.tile > 0 ? std::move(value) : FlagValue{};
}

}  // namespace

void add_tile_flags(FlagTable<O>& table) {
  table.add({
      F("tile", &O::tile,
        "side of the frame in place of --size; its rows are tiles of the pictures, at full "
        "resolution; 0: pictures are rows as a whole")
          .must_be(kSideLimits.text + std::string(", or 0"),
                   [](const O& o) { return o.tile == 0 || is_side(o.tile); })
          .check(check_tile)
          .stored_as([](const O& o) { return when_tiled(o, std::int64_t{o.tile}); }),
      F(
          "overlap", [](O& o) -> double& { return o.tiles.overlap; },
          "share of a tile that its neighbour shows too, at least; boxes that are larger than it "
          "may be cut in every tile")
          .share()
          .between(0, 0.9, "a share like 0.2 or a percentage like 20%, from 0 to 90%")
          .stored_as([](const O& o) { return when_tiled(o, o.tiles.overlap); }),
      F(
          "scale", [](O& o) -> double& { return o.tiles.scale; },
          "frame pixels per pixel of the picture, for tiles; 0.5: pictures are halved first; auto: "
          "small objects get 24 pixels, by the boxes")
          .automatic()
          .must_be("auto or 0.015625 (1/64) to 1",
                   [](const O& o) {
                     const double scale = o.tiles.scale;
                     return is_scale_chosen(o) || (scale >= 1.0 / 64 && scale <= 1);
                   })
          .stored_as([](const O& o) { return when_tiled(o, o.tiles.scale); }),
      F(
          "background-tiles", [](O& o) -> double& { return o.tiles.background; },
          "share of the train pictures' tiles without a box that become rows; the other splits "
          "keep all")
          .share()
          .between(0, 1, "a share like 0.01 or a percentage like 1%, from 0 to 100%")
          .stored_as([](const O& o) { return when_tiled(o, o.tiles.background); }),
  });
}

void refuse_without_use(const O& options, const std::set<std::string>& given) {
  if (options.tile > 0 && given.contains("size") && options.side != options.tile)
    refuse_size_of_tile(options);
  if (options.tile > 0) return;
  for (const char* name : {"overlap", "scale", "background-tiles"}) {
    if (given.contains(name))
      throw Error({.where = std::string("--") + name,
                   .what = "is of tiles, and this build has none",
                   .fix = "add --tile 640, or leave it out"},
                  Exit::usage);
  }
}

}  // namespace letterpress
