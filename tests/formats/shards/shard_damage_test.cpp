#include <doctest/doctest.h>

#include <fstream>

#include "flip.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/hdf5/hdf5.h"
#include "letterpress/shards/shard.h"
#include "sample_shard.h"
#include "tests/contains.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

void overwrite(const fs::path& file, const std::string& content) {
  fs::permissions(file, fs::perms::owner_all);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

// Opening and reading every row; the message of what is wrong, empty when nothing is.
std::string complaint(const fs::path& file, ShardReader::Check check = ShardReader::Check::digest) {
  try {
    const ShardReader reader(file, check);
    std::vector<std::uint8_t> image(static_cast<std::size_t>(reader.image_bytes()));
    for (std::int64_t row = 0; row < reader.rows(); ++row) {
      reader.read_images(row, 1, image.data());
      reader.verify_row(row, image);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// A shard with every dataset and attribute of the schema, but for what the test takes away or
// changes.
struct Forgery {
  std::int64_t schema = 1;
  std::string colour_order = "RGB", classes = "[]";
  std::vector<std::int64_t> images{1, 32, 32, 3};
  std::int64_t boxes = 8;
  std::string without{}, as_bytes{};  // dataset to leave out; to make of type uint8
};

fs::path forge(const fs::path& file, const Forgery& forgery) {
  using hdf5::Number;
  hdf5::File shard = hdf5::create_file(file);
  const auto table = [&](const std::string& name, Number number, std::vector<std::int64_t> shape) {
    if (name != forgery.without)
      hdf5::create_dataset(shard, name, name == forgery.as_bytes ? Number::u8 : number, shape);
  };
  table("/images", Number::u8, forgery.images);
  table("/boxes", Number::f32, {1, forgery.boxes, 5});
  table("/box_count", Number::i32, {1});
  table("/box_flags", Number::u8, {1, 8});
  table("/box_area", Number::f32, {1, 8});
  table("/label", Number::i32, {1});
  table("/letterbox", Number::f32, {1, 6});
  table("/source_size", Number::i32, {1, 2});
  table("/picture_id", Number::u64, {1});
  table("/view", Number::i32, {1});
  table("/status", Number::i32, {1});
  table("/source_hash", Number::u8, {1, 16});
  table("/augment", Number::f32, {1, 0});
  table("/row_checksum", Number::u64, {1});
  hdf5::write_strings(shard, "/name", hdf5::to_columns({"a.jpg"}));
  hdf5::write_attribute(shard, "schema", forgery.schema);
  hdf5::write_attribute(shard, "pad_value", 114);
  for (const char* name : {"producer", "recipe"})
    hdf5::write_attribute(shard, name, std::string("x"));
  hdf5::write_attribute(shard, "classes", forgery.classes);
  hdf5::write_attribute(shard, "augment_names", std::string("[]"));
  hdf5::write_attribute(shard, "colour_order", forgery.colour_order);
  hdf5::close_file(std::move(shard));
  return file;
}

}  // namespace

TEST_CASE("opening what is not a shard says which file and what to do") {
  TempDir dir;
  CHECK_CONTAINS(
      complaint(dir.write("a.h5", "hello")),
      "a.h5: not a readable shard (HDF5: file signature not found); `letterpress-preprocess build` "
      "makes it anew");
  CHECK_CONTAINS(complaint(dir / "none.h5"), "none.h5: no such file; check the path");
  CHECK_CONTAINS(
      complaint(dir.path()),
      "is not a regular file (a folder, FIFO or device); restore it from a copy, or remove "
      "it and run `letterpress-preprocess build` again");
  CHECK_CONTAINS(complaint(dir.write("empty.h5", "")), "empty.h5: not a readable shard");
}

TEST_CASE("a shard cut at any place is refused") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  const std::string whole = read_file(file);
  for (std::size_t step = 0; step < 97; ++step) {
    const std::size_t length = step * whole.size() / 97;
    CAPTURE(length);
    overwrite(file, whole.substr(0, length));
    CHECK_CONTAINS(complaint(file), file.string() + ": ");
    CHECK_CONTAINS(complaint(file, ShardReader::Check::none), file.string() + ": ");
  }
  overwrite(file, whole.substr(0, whole.size() - 1));
  CHECK_FALSE(complaint(file).empty());
}

TEST_CASE("one changed byte in any dataset is found, and the row is named") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  struct Column {
    const char* name;
    std::int64_t row_bytes;
  };
  for (const auto& [name, row_bytes] : std::vector<Column>{{"/images", 3072},
                                                           {"/boxes", 160},
                                                           {"/box_count", 4},
                                                           {"/box_flags", 8},
                                                           {"/box_area", 32},
                                                           {"/label", 4},
                                                           {"/letterbox", 24},
                                                           {"/source_size", 8},
                                                           {"/picture_id", 8},
                                                           {"/view", 4},
                                                           {"/status", 4},
                                                           {"/source_hash", 16},
                                                           {"/augment", 8},
                                                           {"/row_checksum", 8}}) {
    CAPTURE(name);
    const std::int64_t offset = hdf5::find_dataset(hdf5::open_file(file), name).offset;
    const Flip flip(file, offset + row_bytes);  // first byte of row 1
    CHECK_CONTAINS(complaint(file), "row 1 (a b.jpg)");
    CHECK_CONTAINS(
        complaint(file),
        "restore it from a copy, or remove it and run `letterpress-preprocess build` again");
  }
}

TEST_CASE("one changed byte in names or their offsets is found") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  const auto flipped = [&](const std::string& name, std::int64_t at) {
    const Flip flip(file, hdf5::find_dataset(hdf5::open_file(file), name).offset + at);
    return complaint(file);
  };
  CHECK_CONTAINS(flipped("/name_bytes", 0), "row 0 (` b.jpg) is changed");
  CHECK_CONTAINS(flipped("/name_offset", 8), "row 0 (a b.jp) is changed");
  CHECK_CONTAINS(flipped("/name_offset", 15),
                 "/name_offset: does not ascend from 0 to the 20 bytes of");
}

TEST_CASE("one changed bit anywhere outside the rows is found, without a crash") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  const std::int64_t images = hdf5::find_dataset(hdf5::open_file(file), "/images").offset;
  std::int64_t undetected = 0, left_open = 0, tried = 0;
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  for (std::int64_t at = 0; at < size; at += 5) {
    if (at >= images && at < images + 3 * 3072) continue;
    const Flip flip(file, at, 1 << at % 8);
    undetected += complaint(file).empty();
    left_open += H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL);
    ++tried;
  }
  CHECK(tried > 200);
  CHECK(undetected == 0);
  CHECK(left_open == 0);
}

TEST_CASE("a change in the attributes that HDF5 cannot see is told from one in the rows") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  const std::string whole = read_file(file);
  std::string changed = whole;
  // In the unused bytes before the page on which the images begin.
  changed[static_cast<std::size_t>(hdf5::find_dataset(hdf5::open_file(file), "/images").offset) -
          1] = '\1';
  overwrite(file, changed);
  CHECK_CONTAINS(complaint(file),
                 "its name promises another; the rows are whole, its attributes, structure or name "
                 "are changed");
  overwrite(file, whole + '\0');
  CHECK_CONTAINS(complaint(file), " bytes, its content ends at " + std::to_string(whole.size()));
}

TEST_CASE("a renamed shard is refused, unless no check is asked for") {
  TempDir dir;
  const fs::path file = write_sample(dir.path());
  fs::rename(file, dir / "renamed.h5");
  CHECK_CONTAINS(complaint(dir / "renamed.h5"),
                 "renamed.h5: damaged: its content has digest " + file.stem().string());
  CHECK(complaint(dir / "renamed.h5", ShardReader::Check::none).empty());
}

TEST_CASE("a shard of a newer schema says both numbers and the fix") {
  TempDir dir;
  try {
    ShardReader{forge(dir / "new.h5", {.schema = 5})};
    FAIL("it was opened");
  } catch (const Error& error) {
    CHECK(std::string(error.what())
              .ends_with(
                  "new.h5: shard schema 5 is newer than this program's 4; update Letterpress"));
    CHECK(error.exit() == Exit::configuration);
  }
  CHECK_CONTAINS(complaint(forge(dir / "zero.h5", {.schema = 0})),
                 "shard schema 0 is not this program's 4");
}

TEST_CASE(
    "a well-formed HDF5 file that breaks the schema is refused with what was got and wanted") {
  TempDir dir;
  const std::vector<std::pair<Forgery, std::string>> cases{
      {{.schema = 2}, ": /images: must have one chunk per row and the deflate filter alone"},
      {{.images = {1, 32, 48, 3}},
       "/images is uint8 [1, 32, 48, 3], must be uint8 [N, S, S, 3], S a multiple of 32"},
      {{.images = {1, 33, 33, 3}}, "/images is uint8 [1, 33, 33, 3], must be"},
      {{.images = {1, 8224, 8224, 3}}, "/images is uint8 [1, 8224, 8224, 3], must be"},
      {{.images = {0, 32, 32, 3}}, "/images is uint8 [0, 32, 32, 3], must be"},
      {{.images = {2, 32, 32, 3}}, "/boxes is float32 [1, 8, 5], must be float32 [2, 8, 5]"},
      {{.boxes = 16}, "/box_flags is uint8 [1, 8], must be uint8 [1, 16]"},
      {{.without = "/view"}, ": /view: is missing or unreadable (HDF5: "},
      {{.as_bytes = "/label"}, "/label is uint8 [1], must be int32 [1]"},
      {{.colour_order = "BGR"}, "colour_order is BGR, must be RGB"},
      {{.classes = "[1]"}, "attribute 'classes': a field is missing or of another type"},
      {{.classes = "["}, "attribute 'classes': a field is missing or of another type"}};
  for (const auto& [forgery, message] : cases) {
    CHECK_CONTAINS(complaint(forge(dir / "forged.h5", forgery), ShardReader::Check::none), message);
  }
}

TEST_CASE("a box count beyond M is refused: who loops over it would leave the table") {
  TempDir dir;
  const fs::path file = forge(dir / "a.h5", {});
  const std::int64_t offset = hdf5::find_dataset(hdf5::open_file(file), "/box_count").offset;
  const std::int32_t count = 9;
  File::open_to_write(file).write_at(offset, std::as_bytes(std::span(&count, 1)));
  CHECK_CONTAINS(complaint(file, ShardReader::Check::none),
                 "a.h5: row 0: /box_count is 9, must be 0..8");
}
