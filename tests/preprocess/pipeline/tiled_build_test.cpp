#include <doctest/doctest.h>

#include <array>

#include "letterpress/shards/tiles.h"
#include "tests/contains.h"
#include "tests/preprocess/golden.h"
#include "tests/preprocess/heard_notes.h"
#include "tests/preprocess/pipeline/tiled_set.h"

namespace letterpress {
namespace {

std::array<float, 4> corners(const LabelBox& box) { return {box.x1, box.y1, box.x2, box.y2}; }

constexpr std::array<std::array<int, 2>, 6> kCorners{
    {{0, 0}, {43, 0}, {86, 0}, {0, 36}, {43, 36}, {86, 36}}};

}  // namespace

TEST_CASE("a clean tile is a crop of the picture, to the byte") {
  TiledSet set;
  set.pictures(1);
  const BuildOptions options = set.options();
  build_quietly(options);
  const std::vector<CleanTile> tiles = clean_tiles(options.store);
  const std::vector<std::uint8_t> picture = drawn_pixels(0, 150, 100);
  REQUIRE(tiles.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    const auto [x, y] = kCorners[i];
    CHECK(tiles[i].image == cropped(picture, 150, x, y, 64));
    CHECK(tiles[i].letterbox == Affine{{1, 0, -1.0 * x, 0, 1, -1.0 * y}});
  }
}

TEST_CASE("a clean tile of a JPEG is the crop of what Pillow decodes") {
  TiledSet set;
  set.folder.write("photo.jpg", golden("pictures/photo.jpg"));  // 48 x 32, 4:2:0
  set.list("train.txt", "photo.jpg 1,1,20,20,0\n");
  BuildOptions options = set.options();
  options.tile = 32;
  build_quietly(options);
  const std::string pillow = golden("pictures/photo.jpg.rgb");
  const std::vector<std::uint8_t> whole(pillow.begin(), pillow.end());
  const std::vector<CleanTile> tiles = clean_tiles(options.store);
  REQUIRE(tiles.size() == 2);
  CHECK(tiles[0].image == cropped(whole, 48, 0, 0, 32));
  CHECK(tiles[1].image == cropped(whole, 48, 16, 0, 32));
}

TEST_CASE("boxes are cut at the tiles by the recipe's rule; whole ones are whole in a tile") {
  TiledSet set;
  set.picture("p.png", 1);
  // The first, 16 x 16, lies in the middle of the overlaps of tiles at 0 and 43. The second is
  // 60 wide and crosses all three columns: 43..64 of it is tile 0's, 35 %; whole in none. Of the
  // third 4 pixels of 40, less than the rule's 15 %, are in tile 0.
  set.list("train.txt", "p.png 45,40,61,56,0 43,2,103,12,1 60,20,100,30,2\n");
  const BuildOptions options = set.options();
  const BuildReport report = build_quietly(options);
  const std::vector<CleanTile> tiles = clean_tiles(options.store);
  REQUIRE(tiles.size() == 6);
  REQUIRE(tiles[0].boxes.size() == 2);
  CHECK(corners(tiles[0].boxes[0]) == std::array<float, 4>{45, 40, 61, 56});
  CHECK(tiles[0].boxes[0].flags == 0);
  CHECK(corners(tiles[0].boxes[1]) == std::array<float, 4>{43, 2, 64, 12});
  CHECK(tiles[0].boxes[1].flags == kCut);
  REQUIRE(tiles[1].boxes.size() == 3);
  CHECK(corners(tiles[1].boxes[0]) == std::array<float, 4>{2, 40, 18, 56});
  CHECK(corners(tiles[1].boxes[1]) == std::array<float, 4>{0, 2, 60, 12});
  CHECK(tiles[1].boxes[1].flags == 0);
  CHECK(corners(tiles[1].boxes[2]) == std::array<float, 4>{17, 20, 57, 30});
  CHECK(tiles[0].whole_boxes == std::vector<float>{45, 40, 61, 56, 43, 2, 103, 12, 0, 0, 0,
                                                   0,  0,  0,  0,  0,  0, 0,   0,  0, 0, 0,
                                                   0,  0,  0,  0,  0,  0, 0,   0,  0, 0});
  REQUIRE(tiles[2].boxes.size() == 2);  // of the second 86..103, 28 %
  CHECK(corners(tiles[2].boxes[0]) == std::array<float, 4>{0, 2, 17, 12});
  CHECK(corners(tiles[2].boxes[1]) == std::array<float, 4>{0, 20, 14, 30});
  CHECK(tiles[3].boxes.size() == 1);
  CHECK(tiles[4].boxes.size() == 1);
  CHECK(tiles[5].boxes.empty());
  const Accounting& sums = report.accounting;
  CHECK(sums.boxes_stored == 3);
  CHECK(sums.tiles == TileAccounting{6, 6, 1, 0, 0, 3, 0, 0});
}

TEST_CASE("boxes that are whole in no tile are reported, with the overlap needed") {
  TiledSet set;
  set.picture("p.png", 1);
  // Tiles of a line are 0..64, 43..107 and 86..150: 30..70 is in none whole; 1..149 is cut to 43 %,
  // and is 3 pixels high.
  set.list("train.txt", "p.png 30,40,70,50,0 1,50,149,53,1 2,2,10,10,0\n");
  HeardNotes heard;
  const BuildReport report = build(set.options(), heard, kNoStop);
  CHECK_CONTAINS(
      heard.all,
      "2 of 3 boxes are whole in no tile: tiles of 64 pixels overlap by 16; 2 are cut in "
      "every tile, of 0 no tile shows enough; the largest has a side of 148, and a "
      "larger --tile or a smaller --scale shows more of them");
  CHECK(report.accounting.tiles == TileAccounting{6, 6, 0, 0, 0, 1, 2, 0});

  set.list("train.txt", "p.png 30,40,70,50,0\n");
  HeardNotes again;
  build(set.options("other"), again, kNoStop);
  CHECK_CONTAINS(again.all, "has a side of 40, and --overlap 63% keeps all of them whole");

  // No overlap helps one that is 1 pixel high.
  set.list("train.txt", "p.png 30,40,70,50,0 20,60,140,61,0\n");
  HeardNotes tiny;
  build(set.options("third"), tiny, kNoStop);
  CHECK_CONTAINS(tiny.all,
                 "; 1 are smaller in the frame than the recipe keeps (min_side), which another "
                 "recipe changes; the largest of the others has a side of 40, and --overlap 63% "
                 "keeps them whole");
}

TEST_CASE("a picture smaller than a tile is one row, not enlarged, which is said") {
  DrawnSet small;
  small.pictures(1);  // 80 x 60
  BuildOptions options = small.options();
  options.side = BuildOptions{}.side;
  options.tile = 96;
  HeardNotes heard;
  build(options, heard, kNoStop);
  CHECK_CONTAINS(heard.all,
                 "1 pictures are smaller than a tile of 96 x 96 pixels: one row each, not "
                 "enlarged, with padding beside them");
  const std::vector<CleanTile> tiles = clean_tiles(options.store);
  REQUIRE(tiles.size() == 1);
  CHECK(tiles[0].letterbox == Affine{{1, 0, 8, 0, 1, 18}});
  CHECK(tiles[0].image[0] == 114);
}

TEST_CASE("of train tiles without a box a share is kept, one of a picture at least; val has all") {
  TiledSet set;
  std::string train, val;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    set.picture(name, i);
    (i < 30 ? train : val) += name + (i % 3 == 0 ? "\n" : " 5,5,15,15,0\n");
  }
  set.list("train.txt", train);
  set.list("val.txt", val);
  BuildOptions options = set.options();
  options.tiles.background = 0;
  options.views = 0;
  options.val = (set.folder / "val.txt").string();
  const BuildReport none = build_quietly(options);
  // 30 pictures of train keep one tile each: the one with the box, or one for the picture.
  CHECK(none.accounting.tiles == TileAccounting{240, 30 + 60, 10 + 60 - 6, 150, 0, 26, 0, 0});
  CHECK(clean_tiles(options.store).size() == 30);
  CHECK(clean_tiles(options.store, "val").size() == 60);

  BuildOptions half = options;
  half.store = set.folder / "half";
  half.tiles.background = 0.5;
  const std::int64_t stored = build_quietly(half).accounting.tiles->stored - 60;
  CHECK(stored > 30 + 50);
  CHECK(stored < 30 + 100);
}

TEST_CASE("augmented views show the picture around the tile where they turn or shrink it") {
  TiledSet set;
  set.folder.write("turn.toml",
                   "[[augment]]\nkind = \"affine\"\nscale_low = 0.9\nscale_high = 0.9\n"
                   "shift = 0\nrotation = 45\n");
  const int side = 320;
  std::vector<std::uint8_t> white(std::size_t{3} * side * side, 255);
  const std::vector<std::byte> png = encode_png(white, side, side);
  set.folder.write("white.png", {reinterpret_cast<const char*>(png.data()), png.size()});
  set.list("train.txt", "white.png 150,150,170,170,0\n");
  BuildOptions options = set.options();
  options.recipe = (set.folder / "turn.toml").string();
  options.views = 8;
  build_quietly(options);
  const Store store = Store::open(options.store);
  const SnapshotReader reader(store, store.latest().value());
  int inner = 0;
  for (const PictureRows& tile : reader.pictures("train")) {
    const Affine map = reader.shard(tile.clean.shard).letterbox(tile.clean.row);
    if (-map.m[2] < 32 || -map.m[2] > 224 || -map.m[5] < 32 || -map.m[5] > 224) continue;
    ++inner;
    for (const RowPlace& row : tile.augmented) {
      std::vector<std::uint8_t> image(3 * 64 * 64);
      reader.shard(row.shard).read_images(row.row, 1, image.data());
      CHECK(std::ranges::all_of(image, [](std::uint8_t level) { return level == 255; }));
    }
  }
  CHECK(inner >= 16);
}

TEST_CASE("a picture that cannot be decoded takes its tiles and boxes out of the accounts") {
  TiledSet set;
  set.pictures(3);
  std::string cut = drawn_png(50, 150, 100);
  cut.resize(cut.size() / 2);
  set.folder.write("cut.png", cut);
  set.list("train.txt", file_text(set.folder / "train.txt") + "cut.png 5,5,15,15,0\n");
  const BuildOptions options = set.options();
  const BuildReport report = build_quietly(options);
  const Accounting sums = report.accounting;
  CHECK(sums.pictures_rejected == 1);
  REQUIRE(sums.tiles);
  CHECK(sums.tiles->laid == 18);
  CHECK(sums.tiles->stored == 18);
  CHECK(sums.tiles->rejected == 0);
  CHECK(sums.boxes_stored ==
        sums.tiles->boxes_whole + sums.tiles->boxes_cut + sums.tiles->boxes_outside);
  // Another build finds nothing to publish.
  const BuildReport again = build_quietly(options);
  CHECK(again.accounting == sums);
  CHECK(again.generation == report.generation);
}

TEST_CASE("flags of tiles are checked; without --tile they are not in the configuration") {
  BuildOptions options;
  options.store = "s";
  options.inputs = {"i"};
  CHECK(to_json(options).find("\"tile\"") == std::string::npos);
  CHECK(to_json(options).find("overlap") == std::string::npos);
  options.tile = 64;
  options.tiles.overlap = 0.5;
  CHECK(build_options_from_json(to_json(options)).tiles.overlap == 0.5);
  CHECK(build_options_from_json(to_json(options)).tile == 64);
  options.tiles.overlap = 1;
  CHECK(message_of([&] { validate(options); }) ==
        "64 --overlap is 100%, must be a share like 0.2 or a percentage like 20%, from 0 to 90%");
  options.tiles.overlap = 0.2;
  options.tile = 100;
  CHECK(message_of([&] { validate(options); }) ==
        "64 --tile is 100, must be a multiple of 32 from 32 to 8192, or 0");
  options.tile = 64;
  options.side = 320;
  CHECK(message_of([&] { validate(options); }) ==
        "64 --size 320: with --tile 64, which is the frame's side; leave --size out");
}

}  // namespace letterpress
