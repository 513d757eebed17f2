#include <doctest/doctest.h>

#include "letterpress/shards/shard.h"
#include "tests/locations.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

// The one shard in that folder of tests/golden/shards; make_golden.py says what is in it.
fs::path golden_shard(Compression compression) {
  const std::string folder(kCompressionNames[static_cast<std::size_t>(compression)]);
  for (const fs::directory_entry& entry :
       fs::directory_iterator(LETTERPRESS_SOURCE_DIR "/tests/golden/shards/" + folder)) {
    if (entry.path().extension() == ".h5") return entry.path();
  }
  return "no golden shard";
}

void check_golden(Compression compression) {
  const ShardReader reader(golden_shard(compression));
  CHECK(reader.spec().compression == compression);
  CHECK(reader.rows() == 2);
  CHECK(reader.spec().side == 32);
  CHECK(reader.spec().max_boxes == 8);
  CHECK(reader.spec().classes == std::vector<std::string>{"cat", "dog"});
  CHECK(reader.spec().augment_names == std::vector<std::string>{"hsv.hue"});
  CHECK(reader.spec().producer == "h5py");
  std::vector<std::uint8_t> image(static_cast<std::size_t>(reader.image_bytes()));
  for (std::int64_t row = 0; row < 2; ++row) {
    CAPTURE(row);
    reader.read_images(row, 1, image.data());
    CHECK_NOTHROW(reader.verify_row(row, image));
    CHECK(image[0] == 10 + row);
    CHECK(image[1] == 20 + row);
    CHECK(image.back() == 30 + row);
    CHECK(reader.box_count(row) == row + 1);
    CHECK(reader.source_size(row) == std::array{64, 48});
    CHECK(reader.letterbox(row) == Affine{{0.5, 0, 0, 0, 0.5, 4}});
    CHECK(reader.view(row) == 0);
  }
  const std::span<const float> boxes = reader.boxes(1);
  CHECK(std::vector<float>(boxes.begin(), boxes.begin() + 15) ==
        std::vector<float>{0, 1, 5, 9, 0, 2, 1, 7, 9, 1, 0, 0, 0, 0, -1});
  CHECK(reader.box_area(1)[1] == 101);
  CHECK(reader.augment(1)[0] == 0.75F);
  CHECK(reader.name(1) == "two.jpg");
  CHECK(reader.source_hash(0) == hash128("first picture"));
}

}  // namespace

TEST_CASE("a shard that h5py made by the schema is read, its name and rows verified") {
  check_golden(Compression::none);
}
TEST_CASE("a shard that h5py compressed by the schema is read the same way") {
  check_golden(Compression::deflate);
}
