#include "letterpress/shards/shard.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <thread>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "sample_shard.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

std::vector<std::uint8_t> read_row(const ShardReader& reader, std::int64_t row) {
  std::vector<std::uint8_t> image(static_cast<std::size_t>(reader.image_bytes()));
  reader.read_images(row, 1, image.data());
  return image;
}

}  // namespace

TEST_CASE("a shard gives back what was written") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  const ShardReader reader(file);
  CHECK(reader.path() == file);
  CHECK(reader.rows() == 3);
  CHECK(reader.image_bytes() == 32 * 32 * 3);
  const ShardSpec spec = sample_spec();
  CHECK(reader.spec().side == spec.side);
  CHECK(reader.spec().max_boxes == spec.max_boxes);
  CHECK(reader.spec().names == spec.names);
  CHECK(reader.spec().augment_names == spec.augment_names);
  CHECK(reader.spec().classes == spec.classes);
  CHECK(reader.spec().recipe_json == spec.recipe_json);
  CHECK(reader.spec().fill == spec.fill);
  CHECK(reader.spec().producer == spec.producer);

  const std::vector<ShardRow> rows = sample_rows();
  for (std::int64_t row = 0; row < 3; ++row) {
    CAPTURE(row);
    const ShardRow& wanted = rows[static_cast<std::size_t>(row)];
    CHECK(read_row(reader, row) == sample_image(row));
    CHECK(reader.label(row) == wanted.label);
    CHECK(reader.letterbox(row) == wanted.letterbox);
    CHECK(reader.source_size(row) == std::array{wanted.source_width, wanted.source_height});
    CHECK(reader.source_hash(row) == wanted.source_hash);
    CHECK(reader.picture_id(row) == wanted.source_hash.prefix());
    CHECK(reader.view(row) == wanted.view);
    CHECK(reader.status(row) == wanted.status);
    CHECK(reader.box_count(row) == static_cast<int>(wanted.boxes.size()));
    CHECK(reader.name(row) == spec.names[static_cast<std::size_t>(row)]);
    CHECK_NOTHROW(reader.verify_row(row, sample_image(row)));
  }
  CHECK(reader.augment(1)[0] == 0.25F);
  CHECK(reader.augment(1)[1] == -1.5F);
  CHECK(reader.augment(0)[1] == 0);
}

TEST_CASE("boxes are padded with 0 0 0 0 -1 and carry flags and area") {
  TempDir dir;
  const ShardReader reader(write_sample(dir.path()));
  const std::vector<float> first(reader.boxes(0).begin(), reader.boxes(0).begin() + 10);
  CHECK(first == std::vector<float>{4, 2, 20, 10, 1, 0, 0, 0, 0, -1});
  CHECK(reader.boxes(0).size() == 40);
  CHECK(reader.box_flags(0)[0] == kCrowd);
  CHECK(reader.box_flags(0)[1] == 0);
  CHECK(reader.box_area(0)[0] == 77);
  CHECK(reader.box_area(0)[1] == 0);
  CHECK(reader.label_boxes(0) == std::vector<LabelBox>{{4, 2, 20, 10, 1, kCrowd, 77}});
}

TEST_CASE("an area that no format states is the box's own in source pixels") {
  TempDir dir;
  ShardWriter writer(dir.path(), {.side = 32, .max_boxes = 8, .names = {"a"}});
  // Scale 1/2: 8 x 4 frame pixels are 16 x 8 source pixels.
  writer.write_row(0, {.boxes = {{0, 0, 8, 4, 0}}, .letterbox = {{0.5, 0, 0, 0, 0.5, 0}}},
                   sample_image(0));
  const ShardReader reader(dir / (writer.finish(dir.path()).hex() + ".h5"));
  CHECK(reader.box_area(0)[0] == 128);
}

TEST_CASE("several rows come with one read, and rows that do not exist are refused") {
  TempDir dir;
  const ShardReader reader(write_sample(dir.path()));
  std::vector<std::uint8_t> images(2 * static_cast<std::size_t>(reader.image_bytes()));
  reader.read_images(1, 2, images.data());
  const auto half = images.begin() + reader.image_bytes();
  CHECK(std::vector(images.begin(), half) == sample_image(1));
  CHECK(std::vector(half, images.end()) == sample_image(2));
  CHECK_THROWS_WITH_AS(reader.read_images(2, 2, images.data()),
                       doctest::Contains("rows 2..4 asked for, it has 3"), Error);
  CHECK_THROWS_AS(reader.read_images(-1, 1, images.data()), Error);
}

TEST_CASE("a finished shard is named by its digest and read-only") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  CHECK(file.stem().string().size() == 32);
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0444);
  CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);  // no temporary file is left
}

TEST_CASE("equal content gives equal bytes, and finishing it again is a success") {
  TempDir dir, other;
  const fs::path first = write_sample(dir.path());
  const fs::path second = write_sample(other.path());
  CHECK(first.filename() == second.filename());
  CHECK(read_file(first) == read_file(second));
  CHECK(write_sample(dir.path()) == first);
}

TEST_CASE("a damaged shard under the right name is repaired by writing the same rows again") {
  TempDir dir, other;
  const fs::path file = write_sample(dir.path());
  const std::string whole = read_file(file);
  fs::permissions(file, fs::perms::owner_all);
  fs::resize_file(file, whole.size() / 2);
  CHECK_THROWS_AS(ShardReader{file}, Error);
  CHECK(write_sample(dir.path()) == file);
  CHECK(read_file(file) == whole);
}

TEST_CASE("a shard with one flipped bit in its pixels is repaired by writing the same rows again") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  const std::string whole = read_file(file);
  std::string turned = whole;
  turned[static_cast<std::size_t>(ShardReader(file).stored_pixels(0).offset) +
         3 * kSampleSide * kSampleSide + 5] ^= 1;
  fs::remove(file);
  dir.write(file.filename().string(), turned);
  CHECK_THROWS_WITH_AS(
      ShardReader(file).verify_rows(),
      (file.string() + ": row 1 (a b.jpg) is damaged: pixels or tables do not match its checksum; "
                       "restore it from a "
                       "copy, or remove it and run `letterpress-preprocess build` again")
          .c_str(),
      Error);
  CHECK(write_sample(dir.path()) == file);
  CHECK(read_file(file) == whole);
  ShardReader(file).verify_rows();
}

TEST_CASE("1 and 4 threads write the same bytes") {
  TempDir dir;
  ShardSpec spec = sample_spec();
  spec.names.assign(64, "picture.jpg");
  std::vector<std::string> files;
  for (const int threads : {1, 4}) {
    ShardWriter writer(dir.path(), spec);
    std::vector<std::jthread> workers;
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        for (std::int64_t row = 63 - t; row >= 0; row -= threads) {
          const auto left = static_cast<float>(row % 8);
          writer.write_row(
              row, {.boxes = {{left, 0, left + 4, 5, 1}}, .view = static_cast<std::int32_t>(row)},
              sample_image(row));
        }
      });
    }
    workers.clear();
    CHECK(writer.rows_written() == 64);
    const fs::path folder = dir / std::to_string(threads);
    fs::create_directory(folder);
    files.push_back(read_file(folder / (writer.finish(folder).hex() + ".h5")));
  }
  CHECK(files[0] == files[1]);
}

TEST_CASE("several threads make shards at the same time") {
  TempDir dir;
  std::vector<fs::path> files(4);
  std::vector<std::jthread> workers;
  for (std::size_t t = 0; t < files.size(); ++t) {
    workers.emplace_back([&, t] {
      const fs::path folder = dir / std::to_string(t);
      fs::create_directory(folder);
      for (int round = 0; round < 5; ++round) files[t] = write_sample(folder);
    });
  }
  workers.clear();
  for (const fs::path& file : files) {
    CHECK(file.filename() == files[0].filename());
    CHECK_NOTHROW(ShardReader{file});
  }
}

TEST_CASE("no boxes and no parameters are a valid shard") {
  TempDir dir;
  ShardWriter writer(dir.path(), {.side = 32, .max_boxes = 0, .names = {""}});
  writer.write_row(0, {.label = 5}, sample_image(0));
  const ShardReader reader(dir / (writer.finish(dir.path()).hex() + ".h5"));
  CHECK(reader.boxes(0).empty());
  CHECK(reader.augment(0).empty());
  CHECK(reader.label(0) == 5);
  CHECK(reader.name(0).empty());
}

TEST_CASE("long recipes and many class names fit") {
  TempDir dir;
  ShardSpec spec = sample_spec();
  spec.names = {"a"};
  spec.recipe_json = "{\"" + std::string(100'000, 'r') + "\":1}";
  spec.classes.assign(2'000, "a class name of thirty letters");
  ShardWriter writer(dir.path(), spec);
  writer.write_row(0, {}, sample_image(0));
  const ShardReader reader(dir / (writer.finish(dir.path()).hex() + ".h5"));
  CHECK(reader.spec().recipe_json == spec.recipe_json);
  CHECK(reader.spec().classes == spec.classes);
}
