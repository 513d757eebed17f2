#include "trainer/parity/store_frames.h"

#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"

using namespace letterpress;

TEST_CASE("an object is found once, by a detection of its class that overlaps by one half") {
  StoreFrames frames;
  frames.boxes = {{{0, 0, 10, 10, 0}, {20, 0, 30, 10, 1}, {40, 0, 50, 10, 0, kCrowd}}, {}};
  const std::vector<FoundPicture> found{
      {.picture = "0",
       .boxes = {{0, 0, 10, 6, 0.9, 0},      // 0.6 of the first
                 {0, 0, 10, 10, 0.8, 0},     // the first again
                 {20, 0, 30, 10, 0.7, 0},    // the second, of another class
                 {26, 0, 36, 10, 0.6, 1}}},  // the second by 4 of 16
      {.picture = "1", .boxes = {{0, 0, 5, 5, 0.9, 1}}}};
  const FoundObjects objects = found_objects(frames, found, 2);
  CHECK(objects.objects == 2);  // crowds do not count
  CHECK(objects.found == 1);
  CHECK(objects.recall() == 0.5);
}

TEST_CASE("as many frames must have been looked at as there are") {
  StoreFrames frames{.file = "measured.npy"};
  frames.boxes.resize(2);
  CHECK(message_of([&] { found_objects(frames, {{.picture = "0"}}, 1); }) ==
        "65 measured.npy: holds 2 frames, and something was found in 1");
}

TEST_CASE("frames are written as numpy reads them, evenly over the split, with their boxes") {
  const TempDir dir;
  DrawnStore({.side = 32, .train = 8, .val = 5}).publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const std::vector<PictureRows> pictures = reader.pictures("val");
  const StoreFrames frames = write_store_frames(reader, "val", 2, dir / "frames.npy");
  REQUIRE(frames.boxes.size() == 2);
  // numpy.lib.format 1.0: the header fills 128 bytes.
  const std::string content = read_file(dir / "frames.npy");
  constexpr std::size_t kFrame = std::size_t{3} * 32 * 32;
  REQUIRE(content.size() == 128 + 2 * kFrame);
  CHECK(content.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(content.substr(10, 66) ==
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 32, 32, 3), ");
  CHECK(content[127] == '\n');
  for (const std::size_t i : {0U, 1U}) {
    const RowPlace place = pictures[i * 5 / 2].clean;
    std::string image(kFrame, 0);
    reader.shard(place.shard)
        .read_images(place.row, 1, reinterpret_cast<std::uint8_t*>(image.data()));
    CHECK(content.substr(128 + i * kFrame, kFrame) == image);
    CHECK(frames.boxes[i] == reader.shard(place.shard).label_boxes(place.row));
  }
  CHECK(write_store_frames(reader, "val", 99, dir / "all.npy").boxes.size() == 5);
}
