// Pictures that are too large to be decoded whole where they become tiles.
#include <doctest/doctest.h>

#include <numeric>

#include "preprocess/map/band_order.h"
#include "preprocess/pictures/bands/banded_picture.h"
#include "preprocess/recipe/recipe.h"
#include "tests/contains.h"
#include "tests/preprocess/drawn_jpeg.h"
#include "tests/preprocess/heard_notes.h"
#include "tests/preprocess/pipeline/tiled_set.h"

namespace letterpress {
namespace {

constexpr int kWidth = 4224, kHeight = 4000;
static_assert(std::int64_t{kWidth} * kHeight > kPixelsDecodedWhole);

BuildOptions large_options(const TiledSet& set) {
  BuildOptions options = set.options();
  options.tile = 1024;
  options.tiles.overlap = 0.1;
  options.views = 1;
  options.shard_bytes = 20 * 3 * 1024 * 1024;
  return options;
}

// Rows of the newest snapshot that are not what the whole picture, decoded at once, gives.
std::int64_t rows_that_differ(const BuildOptions& options, const std::string& content) {
  const Store store = Store::open(options.store);
  const SnapshotReader reader(store, store.latest().value());
  const std::string& json = reader.snapshot().identity.recipe_json;
  const Recipe recipe = Recipe::from_json(json, "the store");
  const auto bytes = std::as_bytes(std::span(content));
  const PictureInfo info = *probe(bytes, "large", {.truncated = recipe.truncated()});
  const RenderWorkspacePointer workspace = make_render_workspace();
  Picture whole;
  std::int64_t differ = 0, rows = 0;
  for (const PictureRows& tile : reader.pictures("train")) {
    std::vector<RowPlace> places{tile.clean};
    places.insert(places.end(), tile.augmented.begin(), tile.augmented.end());
    for (const RowPlace& place : places) {
      const ShardReader& shard = reader.shard(place.shard);
      ShardRow row;
      row.letterbox = shard.letterbox(place.row);
      row.view = shard.view(place.row);
      row.augment.assign(shard.augment(place.row).begin(), shard.augment(place.row).end());
      row.tile = shard.tile(place.row);
      const double scale = needed_scale(recipe, info.width, info.height, options.tile, row.view);
      if (whole.scale_eighths != decoded_eighths(info, scale) || whole.rgb.empty())
        REQUIRE_FALSE(decode(bytes, info, scale, "large", whole));
      std::vector<std::uint8_t> stored(static_cast<std::size_t>(shard.image_bytes())),
          wanted(stored.size());
      shard.read_images(place.row, 1, stored.data());
      shard.verify_row(place.row, stored);
      render_stored({recipe, row, whole, options.tile}, *workspace, wanted);
      differ += stored != wanted;
      ++rows;
    }
  }
  CHECK(rows == 2 * 5 * 5);
  return differ;
}

}  // namespace

TEST_CASE("tiles and views of a large picture are those of the whole one, to the byte") {
  const std::string jpeg = drawn_jpeg(3, kWidth, kHeight);
  TiledSet set;
  set.folder.write("large.jpg", jpeg);
  set.list("train.txt", "large.jpg 45,40,90,80,0 2000,2000,2100,2300,1\n");
  const BuildOptions options = large_options(set);
  HeardNotes heard;
  build(options, heard, kNoStop);
  CHECK(heard.all.find("decoded whole") == std::string::npos);
  CHECK(rows_that_differ(options, jpeg) == 0);
}

TEST_CASE("a large picture that is damaged behind its first tiles has no living row") {
  TiledSet set;
  const std::string jpeg = drawn_jpeg(3, kWidth, kHeight);
  set.pictures(1);
  set.folder.write("large.jpg", jpeg.substr(0, jpeg.size() * 9 / 10));
  set.list("train.txt", DrawnSet::line(0) + "large.jpg 45,40,90,80,0\n");
  BuildOptions options = large_options(set);
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_rejected == 1);
  CHECK(report.accounting.tiles->laid == 1);
  CHECK(report.accounting.tiles->stored == 1);
  REQUIRE_FALSE(report.rejects.empty());
  CHECK_CONTAINS(to_string(report.rejects.back()), "large.jpg: cannot be decoded: ");
  // The channels' means are of the good picture alone.
  set.list("train.txt", DrawnSet::line(0));
  options.store = set.folder / "good";
  build_quietly(options);
  CHECK(Store::open(set.folder / "store").latest()->statistics.channel_mean ==
        Store::open(options.store).latest()->statistics.channel_mean);
}

TEST_CASE("a large picture that ends early and is kept is grey below, as the whole one") {
  const std::string jpeg = drawn_jpeg(3, kWidth, kHeight), cut = jpeg.substr(0, jpeg.size() / 2);
  TiledSet set;
  set.folder.write("large.jpg", cut);
  set.list("train.txt", "large.jpg 45,40,90,80,0 2000,2000,2100,2300,1\n");
  BuildOptions options = large_options(set);
  options.truncated = Truncated::keep;
  CHECK(build_quietly(options).accounting.pictures_rejected == 0);
  CHECK(rows_that_differ(options, cut) == 0);
}

TEST_CASE("rows are drawn in the order in which one pass over the picture meets their lines") {
  // Lines of tiles 0 to 3, by tile.
  const std::vector<LineRange> lines{{0, 10}, {30, 45}, {5, 40}, {0, 12}};
  std::vector<RowTask> rows(lines.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].tile = static_cast<std::int32_t>(i);
  const std::vector<BandStep> steps = in_order_of_bands(
      rows, [&](const RowTask& row) { return lines[static_cast<std::size_t>(row.tile)]; });
  std::vector<std::int32_t> order, keep;
  for (const BandStep& step : steps) {
    order.push_back(step.task.tile);
    keep.push_back(step.keep_from);
  }
  CHECK(order == std::vector<std::int32_t>{0, 3, 2, 1});
  CHECK(keep == std::vector<std::int32_t>{0, 0, 5, 30});
  CHECK(largest_band(steps) == 35);
}

TEST_CASE("a picture of 60,000 x 60,000 is rejected by its header") {
  TiledSet set;
  set.pictures(1);
  std::string bmp("BM", 2);  // BITMAPINFOHEADER: size 40, then width and height
  bmp.resize(54);
  bmp[14] = 40;
  for (const std::size_t at : {18u, 22u}) {
    bmp[at] = static_cast<char>(60000 & 0xFF);
    bmp[at + 1] = static_cast<char>(60000 >> 8);
  }
  set.folder.write("huge.bmp", bmp);
  set.list("train.txt", DrawnSet::line(0) + "huge.bmp 45,40,90,80,0\n");
  const BuildReport report = build_quietly(set.options());
  REQUIRE(report.rejects.size() == 1);
  CHECK_CONTAINS(to_string(report.rejects[0]),
                 "huge.bmp: 60000 x 60000 is more than 100000000 pixels; raise --max-pixels, or "
                 "scale the picture down");
}

}  // namespace letterpress
