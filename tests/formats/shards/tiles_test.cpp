#include "letterpress/shards/tiles.h"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/hdf5/hdf5.h"
#include "letterpress/shards/store.h"
#include "sample_shard.h"
#include "sample_snapshot.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

using Places = std::vector<std::array<int, 4>>;

Places places_of(const TileGrid& grid) {
  Places places;
  for (int i = 0; i < grid.n(); ++i) {
    const TilePlace place = grid.place(i);
    places.push_back({place.x, place.y, place.width, place.height});
  }
  return places;
}

// Two rows of a picture of 96 x 32: its tiles 1 and 0.
std::filesystem::path tiled_shard(const TempDir& dir, Compression compression) {
  ShardSpec spec = sample_spec(compression);
  spec.names.resize(2);
  spec.tiled = true;
  ShardWriter writer(dir.path(), spec);
  const std::vector<std::uint8_t> image(3 * kSampleSide * kSampleSide, 7);
  for (int i = 0; i < 2; ++i) {
    const ShardRow row{.source_width = 96,
                       .source_height = 32,
                       .source_hash = hash128("the bytes of a b.jpg"),
                       .tile = 1 - i};
    writer.write_row(i, row, image);
  }
  return dir.path() / (writer.finish(dir.path()).hex() + ".h5");
}

}  // namespace

TEST_CASE("tiles lie at even distances and reach the picture's edges exactly") {
  // 150 pixels, tiles of 64 that overlap by 16 at least: steps of 48, so 1 + ceil(86 / 48) = 3
  // tiles at 0, 43 and 86. 100 pixels: 1 + ceil(36 / 48) = 2, at 0 and 36.
  const TileGrid grid(150, 100, 64, {.overlap = 0.25}, {});
  CHECK(grid.columns() == 3);
  CHECK(grid.rows() == 2);
  CHECK(grid.overlap() == 16);
  CHECK(places_of(grid) == Places{{0, 0, 64, 64},
                                  {43, 0, 64, 64},
                                  {86, 0, 64, 64},
                                  {0, 36, 64, 64},
                                  {43, 36, 64, 64},
                                  {86, 36, 64, 64}});
  CHECK(grid.place(4).source_to_frame == Affine{{1, 0, -43, 0, 1, -36}});
}

TEST_CASE("a picture as large as a tile has one; one pixel more makes two") {
  CHECK(places_of(TileGrid(64, 64, 64, {}, {})) == Places{{0, 0, 64, 64}});
  CHECK(places_of(TileGrid(65, 64, 64, {}, {})) == Places{{0, 0, 64, 64}, {1, 0, 64, 64}});
}

TEST_CASE(
    "a picture smaller than a tile lies in the middle of one, or at its top left, not enlarged") {
  CHECK(TileGrid(40, 64, 64, {}, {}).place(0).source_to_frame == Affine{{1, 0, 12, 0, 1, 0}});
  const LetterboxRule corner{.place = LetterboxRule::Alignment::top_left};
  CHECK(TileGrid(40, 20, 64, {}, corner).place(0).source_to_frame == Affine{{1, 0, 0, 0, 1, 0}});
}

TEST_CASE("with scale 1/2 a tile shows twice as much of the picture") {
  const TileGrid grid(256, 128, 64, {.overlap = 0, .scale = 0.5}, {});
  CHECK(places_of(grid) == Places{{0, 0, 128, 128}, {128, 0, 128, 128}});
  CHECK(grid.place(1).source_to_frame == Affine{{0.5, 0, -64, 0, 0.5, 0}});
}

TEST_CASE("whatever is no longer than the overlap is whole in a tile, wherever it lies") {
  for (const int width : {64, 65, 97, 150, 333, 1000}) {
    for (const double overlap : {0.0, 0.1, 0.2, 0.5, 0.9}) {
      CAPTURE(width);
      CAPTURE(overlap);
      const TileGrid grid(width, 64, 64, {.overlap = overlap}, {});
      for (int x = 0; x + grid.overlap() <= width; ++x) {
        bool whole = false;
        for (int i = 0; i < grid.n(); ++i) {
          const TilePlace place = grid.place(i);
          whole |= x >= place.x && x + grid.overlap() <= place.x + place.width;
        }
        CHECK(whole);
      }
    }
  }
}

TEST_CASE("there are no more tiles than the overlap wants, so rows hold little beyond it") {
  for (const double overlap : {0.0, 0.2, 0.5}) {
    CAPTURE(overlap);
    const TileGrid grid(20000, 20000, 640, {.overlap = overlap}, {});
    const int step = 640 - grid.overlap();
    CHECK((grid.columns() - 1) * step + grid.overlap() < 20000);  // one less would not do
    const double rows = 640.0 * 640 * grid.n(), picture = 20000.0 * 20000;
    // Up to a step beyond the picture, in each direction: 640 of 20,000 pixels.
    CHECK(rows / picture <= 1.032 * 1.032 / ((1 - overlap) * (1 - overlap)));
  }
}

TEST_CASE("a rule goes to JSON and back; a bad field is named; a recipe without one has none") {
  const TileRule rule{.overlap = 0.25, .scale = 0.5, .background = 0.1};
  CHECK(tile_rule_from_json(to_json(rule)) == rule);
  CHECK(to_json(TileRule{}) == R"({"overlap":0.2,"scale":1.0,"background":1.0})");
  CHECK_THROWS_WITH_AS(tile_rule_from_json(R"({"overlap":0.95,"scale":1,"background":1})"),
                       doctest::Contains("overlap is 0.95, must be 0.0..0.9"), Error);
  CHECK_THROWS_WITH_AS(tile_rule_from_json(R"({"overlap":0.5,"background":1})"),
                       doctest::Contains("scale is missing"), Error);
  CHECK_FALSE(tile_rule_of_recipe(R"({"augment":[]})"));
  CHECK(tile_rule_of_recipe("{\"tiles\":" + to_json(rule) + "}") == rule);
}

TEST_CASE(
    "a shard of tiles has their numbers, covered by the row checksum, under a schema of its own") {
  for (const Compression compression : {Compression::none, Compression::deflate}) {
    TempDir dir;
    const std::filesystem::path path = tiled_shard(dir, compression);
    const ShardReader shard(path);
    CHECK(shard.spec().tiled);
    CHECK(shard.spec().compression == compression);
    CHECK(shard.tile(0) == 1);
    CHECK(shard.tile(1) == 0);
    shard.verify_rows();
    const hdf5::File file = hdf5::open_file(path);
    CHECK(hdf5::read_integer_attribute(file, "schema") ==
          (compression == Compression::none ? 3 : 4));
    CHECK(hdf5::find_dataset(file, "/tile").shape == std::vector<std::int64_t>{2});
  }
}

TEST_CASE("a reader of a snapshot has each tile with its views, in the order of their numbers") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const std::filesystem::path made = tiled_shard(dir, Compression::none);
  std::filesystem::rename(made, store.shards_folder() / made.filename());
  Snapshot snapshot;
  snapshot.identity.side = kSampleSide;
  snapshot.shards = {{.digest = Hash128::from_hex(made.stem().string()),
                      .split = "train",
                      .rows = 2,
                      .max_boxes = 8}};
  const std::vector<PictureRows> tiles = SnapshotReader(store, snapshot).pictures("train");
  REQUIRE(tiles.size() == 2);
  CHECK(tiles[0].tile == 0);
  CHECK(tiles[0].clean == RowPlace{0, 1});
  CHECK(tiles[1].tile == 1);
  CHECK(tiles[1].clean == RowPlace{0, 0});
  CHECK(tiles[0].picture_id == tiles[1].picture_id);
}

TEST_CASE("a snapshot of tiles is of format 2, which older programs refuse; one without stays 1") {
  Snapshot snapshot = sample_snapshot();
  CHECK(nlohmann::json::parse(to_json(snapshot)).at("format") == 1);
  CHECK(to_json(snapshot).find("tiles") == std::string::npos);
  snapshot.accounting.tiles = TileAccounting{9, 5, 1, 3, 1, 20, 7, 3};
  CHECK(nlohmann::json::parse(to_json(snapshot)).at("format") == 2);
  CHECK(snapshot_from_json(to_json(snapshot), "s").accounting == snapshot.accounting);
}

TEST_CASE("ledger and plan keep the tiles of rows; without tiles they are the files they were") {
  TempDir dir;
  const auto format = [](const std::filesystem::path& file) {
    return hdf5::read_integer_attribute(hdf5::open_file(file), "format");
  };
  std::vector<LedgerEntry> ledger = sample_ledger();
  Plan plan = sample_plan();
  write_ledger(dir / "whole.h5", ledger);
  write_plan(dir / "whole_plan.h5", plan);
  CHECK(format(dir / "whole.h5") == 2);
  CHECK(format(dir / "whole_plan.h5") == 2);
  CHECK_FALSE(hdf5::has_dataset(hdf5::open_file(dir / "whole.h5"), "run.tile"));
  ledger[0].rows = {{.shard = 0, .row = 5}, {.shard = 0, .row = 6, .tile = 3}};
  plan.ledger = ledger;
  plan.shards[0].row_tile = {0, 2, 1};
  write_ledger(dir / "tiles.h5", ledger);
  write_plan(dir / "tiles_plan.h5", plan);
  CHECK(format(dir / "tiles.h5") == 3);
  CHECK(format(dir / "tiles_plan.h5") == 3);
  CHECK(read_ledger(dir / "tiles.h5") == ledger);
  CHECK(read_plan(dir / "tiles_plan.h5").shards[0].row_tile == plan.shards[0].row_tile);
  CHECK(read_plan(dir / "tiles_plan.h5").ledger == ledger);
  CHECK(plan_digest(plan) != plan_digest(sample_plan()));
}
