#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"
#include "sample_shard.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE(
    "whichever call fails while a shard is made, the failure is reported and no shard appears") {
  TempDir temporary, shards;
  int failing = 0;
  for (bool failed = true; failed; ++failing) {
    CAPTURE(failing);
    failed = false;
    int call = 0;
    bool linked = false;
    set_fault_hook([&](std::string_view operation, std::string_view) {
      linked |= operation == "link" && call != failing;
      return operation != "unlink" && call++ == failing ? EIO : 0;
    });
    try {
      ShardWriter writer(temporary.path(), sample_spec());
      for (std::int64_t row = 0; row < 3; ++row) writer.write_row(row, {}, sample_image(row));
      writer.finish(shards.path());
    } catch (const Error& error) {
      failed = true;
      CHECK(error.exit() == Exit::io);
      CHECK(std::string(error.what()).find("Input/output error") != std::string::npos);
    }
    set_fault_hook(nullptr);
    CHECK(fs::is_empty(temporary.path()));
    if (!linked) CHECK(fs::is_empty(shards.path()));
    if (linked)
      CHECK_NOTHROW(ShardReader{fs::directory_iterator(shards.path())->path()});  // whole or absent
    for (const auto& entry : fs::directory_iterator(shards.path())) fs::remove(entry.path());
  }
  CHECK(failing > 15);  // 1 open, 3 rows, 13 tables, reads for the digest, sync, link, the folder's
                        // open and sync
}

TEST_CASE("a shard whose tables could not be written cannot be finished") {
  TempDir dir, shards;
  ShardWriter writer(dir.path(), sample_spec());
  for (std::int64_t row = 0; row < 2; ++row) writer.write_row(row, {}, sample_image(row));
  int writes = 0;
  set_fault_hook([&](std::string_view operation, std::string_view) {
    return operation == "write" && ++writes == 3 ? EIO : 0;
  });
  CHECK_THROWS_AS(writer.write_row(2, {}, sample_image(2)),
                  Error);  // its pixels, a table, and then the disk fails
  set_fault_hook(nullptr);
  CHECK_THROWS_WITH_AS(writer.finish(shards.path()),
                       "ShardWriter: finished although its tables could not be written",
                       std::logic_error);
  CHECK(fs::is_empty(shards.path()));
}

TEST_CASE("a row that does not fit the spec is a bug of the caller, reported with its numbers") {
  TempDir dir;
  ShardWriter writer(dir.path(), sample_spec());
  const auto image = sample_image(0);
  const std::span<const std::uint8_t> part = std::span(image).first(5);
  CHECK_THROWS_WITH_AS(writer.write_row(3, {}, image), "ShardWriter: row 3 is not one of 3",
                       std::logic_error);
  CHECK_THROWS_WITH_AS(writer.write_row(0, {}, part),
                       "ShardWriter: row 0 has 5 image bytes, must be 3072", std::logic_error);
  CHECK_THROWS_WITH_AS(writer.write_row(0, {.boxes = std::vector<LabelBox>(9)}, image),
                       "ShardWriter: row 0 has 9 boxes, max_boxes is 8", std::logic_error);
  CHECK_THROWS_WITH_AS(writer.write_row(0, {.augment = {1}}, image),
                       "ShardWriter: row 0 has 1 parameters, must be 2", std::logic_error);
  writer.write_row(0, {}, image);
  CHECK_THROWS_WITH_AS(writer.write_row(0, {}, image), "ShardWriter: row 0 is written twice",
                       std::logic_error);
  CHECK_THROWS_WITH_AS(writer.finish(dir.path()), "ShardWriter: finished with 1 of 3 rows written",
                       std::logic_error);
}

TEST_CASE("until a row is settled it may be put again: the shard is that of its last content") {
  for (const Compression compression : {Compression::none, Compression::deflate}) {
    const TempDir dir;
    ShardSpec spec = sample_spec(compression);
    spec.tiled = true;
    std::vector<ShardRow> rows = sample_rows();
    rows[0].whole_boxes = {{8, -12, 40, 4}};
    const auto digest = [&](bool twice) {
      ShardWriter writer(dir.path(), spec);
      const ShardRow other{.boxes = std::vector<LabelBox>(5, LabelBox{1, 2, 3, 4, 1}),
                           .whole_boxes = std::vector<std::array<float, 4>>(5, {5, 6, 7, 8}),
                           .label = 1,
                           .source_width = 9,
                           .tile = 3,
                           .view = 1,
                           .augment = {3, 4}};
      for (std::int64_t row = 0; row < 3; ++row) {
        if (twice) writer.put_row(row, other, sample_image(row + 1));
        writer.put_row(row, rows[static_cast<std::size_t>(row)], sample_image(row));
        CHECK(writer.rows_written() == row);
        writer.settle_row(row);
      }
      CHECK_THROWS_AS(writer.put_row(0, rows[0], sample_image(0)), std::logic_error);
      return writer.finish(dir.path());
    };
    CHECK(digest(true) == digest(false));
  }
}

TEST_CASE("an impossible spec is refused before a file is made") {
  TempDir dir;
  CHECK_THROWS_WITH_AS(ShardWriter(dir.path(), {.side = 100, .names = {"a"}}),
                       "ShardWriter: side is 100, must be a multiple of 32 from 32 to 8192",
                       std::logic_error);
  CHECK_THROWS_WITH_AS(ShardWriter(dir.path(), {.side = 32, .max_boxes = 5, .names = {"a"}}),
                       "ShardWriter: max_boxes is 5, must be a multiple of 8", std::logic_error);
  CHECK_THROWS_AS(ShardWriter(dir.path(), {.side = 32}), std::logic_error);
  CHECK_THROWS_WITH_AS(
      ShardWriter(dir.path(), {.side = 32, .names = {"a"}, .classes = {"\xFF"}}),
      "class names: hold text that is not UTF-8; convert the label files to UTF-8 (iconv -t utf-8)",
      Error);
  CHECK(fs::is_empty(dir.path()));
}
