#include "trainer/fit/evaluation/tile_results.h"

#include <doctest/doctest.h>

#include "tests/temp_dir.h"
#include "trainer/fit/evaluation/evaluate.h"

using namespace letterpress;

namespace {

// Picture a, 107 x 64: tile 0 at x 0, tile 1 at 43. Picture b, 64 x 64: one tile. One class.
class TiledStore {
 public:
  TiledStore() : store_(Store::create(dir_ / "store")), reader(store_, published()) {
    rows = reader.pictures("val");
  }

 private:
  Snapshot published() const {
    const std::string recipe = R"({"letterbox":)" + to_json(LetterboxRule{}) + R"(,"tiles":)" +
                               to_json(TileRule{.overlap = 0.25}) + "}";
    ShardWriter writer(store_.temporary_folder(), {.side = 64,
                                                   .max_boxes = 8,
                                                   .names = {"a.png", "a.png", "b.png"},
                                                   .classes = {"mark"},
                                                   .recipe_json = recipe,
                                                   .tiled = true});
    const std::vector<std::uint8_t> grey(3 * 64 * 64, 114);
    const LabelBox whole{.x1 = 45, .y1 = 10, .x2 = 61, .y2 = 26, .class_id = 0},
        cut{.x1 = 50, .y1 = 30, .x2 = 64, .y2 = 40, .class_id = 0, .flags = kCut, .area = 300},
        moved{.x1 = 2, .y1 = 10, .x2 = 18, .y2 = 26, .class_id = 0},
        uncut{.x1 = 7, .y1 = 30, .x2 = 37, .y2 = 40, .class_id = 0, .area = 300};
    const std::vector<std::array<float, 4>> corners{{45, 10, 61, 26}, {50, 30, 80, 40}};
    ShardRow row{.boxes = {whole, cut},
                 .whole_boxes = corners,
                 .source_width = 107,
                 .source_height = 64,
                 .source_hash = hash128("a")};
    writer.write_row(0, row, grey);
    row.boxes = {moved, uncut};
    row.letterbox = {{1, 0, -43, 0, 1, 0}};
    row.tile = 1;
    writer.write_row(1, row, grey);
    writer.write_row(2, {.source_width = 64, .source_height = 64, .source_hash = hash128("b")},
                     grey);
    Snapshot snapshot{.generation = 1};
    snapshot.identity = {.side = 64, .recipe_json = recipe};
    snapshot.classes = {"mark"};
    snapshot.shards = {{.digest = writer.finish(store_.shards_folder()),
                        .split = "val",
                        .rows = 3,
                        .max_boxes = 8}};
    return snapshot;
  }

  TempDir dir_;
  Store store_;

 public:
  SnapshotReader reader;
  std::vector<PictureRows> rows;
};

}  // namespace

TEST_CASE("tiles become their pictures: each label once and whole, each object found once") {
  const TiledStore open;
  REQUIRE(open.rows.size() == 3);
  std::vector<PictureResult> results = ground_truths_of(open.reader, open.rows);
  std::size_t a = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_a = open.reader.shard(0).source_hash(open.rows[i].clean.row) == hash128("a");
    CHECK(results[i].ground_truths.size() == (is_a ? 2 : 0));
    const double score = open.rows[i].tile == 1 ? 0.75 : 0.5;
    if (is_a) results[i].found = {{.box = {45, 10, 16, 16}, .class_id = 0, .score = score}};
    if (is_a && open.rows[i].tile == 0) a = i;
  }
  const std::vector<PictureRows> pictures = source_pictures(open.reader, open.rows);
  const auto merged = results_of_pictures(open.reader, open.rows, results, {});
  REQUIRE(pictures.size() == 2);
  REQUIRE(merged.size() == 2);
  const std::size_t place = a == 0 ? 0 : 1;  // rows are in the order of the pictures' hashes
  CHECK(pictures[place].clean == open.rows[a].clean);
  CHECK(merged[1 - place].ground_truths.empty());
  CHECK(merged[1 - place].found.empty());
  REQUIRE(merged[place].ground_truths.size() == 2);
  CHECK(merged[place].ground_truths[0].box.x == 45);
  CHECK(merged[place].ground_truths[1].box.x == 50);
  CHECK(merged[place].ground_truths[1].box.width == 30);
  CHECK(merged[place].ground_truths[1].area == 300);
  REQUIRE(merged[place].found.size() == 1);
  CHECK(merged[place].found[0].score == 0.75);
}
