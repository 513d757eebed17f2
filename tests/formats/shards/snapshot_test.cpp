#include "letterpress/shards/snapshot.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "sample_snapshot.h"
#include "tests/contains.h"
#include "tests/message_of.h"

using namespace letterpress;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a snapshot goes to JSON and back with every field") {
  const Snapshot wanted = sample_snapshot(), got = snapshot_from_json(to_json(wanted), "s");
  CHECK(got.generation == wanted.generation);
  CHECK(got.parent == wanted.parent);
  CHECK(got.identity == wanted.identity);
  CHECK(got.views == wanted.views);
  CHECK(got.classes == wanted.classes);
  CHECK(got.category_ids == wanted.category_ids);
  CHECK(got.class_lists == wanted.class_lists);
  CHECK(got.category_lists == wanted.category_lists);
  REQUIRE(got.shards.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(got.shards[i].digest == wanted.shards[i].digest);
    CHECK(got.shards[i].split == wanted.shards[i].split);
    CHECK(got.shards[i].augmented == wanted.shards[i].augmented);
    CHECK(got.shards[i].rows == wanted.shards[i].rows);
    CHECK(got.shards[i].max_boxes == wanted.shards[i].max_boxes);
    CHECK(got.shards[i].dead == wanted.shards[i].dead);
    CHECK(got.shards[i].channel_sum == wanted.shards[i].channel_sum);
  }
  CHECK(got.statistics.max_boxes == wanted.statistics.max_boxes);
  CHECK(got.statistics.anchors == wanted.statistics.anchors);
  CHECK(got.statistics.channel_mean == wanted.statistics.channel_mean);
  CHECK(got.statistics.boxes_per_class == wanted.statistics.boxes_per_class);
  CHECK(got.statistics.box_side_histogram == wanted.statistics.box_side_histogram);
  CHECK(got.accounting == wanted.accounting);
  CHECK(got.logical_digest == wanted.logical_digest);
  CHECK(got.configuration_json == wanted.configuration_json);
  CHECK(got.producer == wanted.producer);
  CHECK(to_json(got) == to_json(wanted));
}

TEST_CASE("a snapshot that is cut anywhere is refused by name") {
  const std::string text = to_json(sample_snapshot());
  for (std::size_t length = 0; length + 2 < text.size(); length += 13) {
    CAPTURE(length);
    CHECK_THROWS_WITH_AS(
        snapshot_from_json(text.substr(0, length), "00000042.json"),
        doctest::Contains(
            "00000042.json: not a readable snapshot (cut or damaged); restore it from a copy"),
        Error);
  }
}

TEST_CASE("any changed bit is refused, also where the content stays what it was") {
  Snapshot wanted = sample_snapshot();
  wanted.statistics.anchors.push_back({3.8000006675720215, 3.8000006675720215});  // ...214 too
  const std::string text = to_json(wanted);
  REQUIRE(contains(text, "3.8000006675720215"));
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    CAPTURE(bit);
    CHECK(message_of([&] { snapshot_from_json(changed, "s"); }).find(" s: ") == 2);
  }
}

TEST_CASE("what was changed beside the content is said") {
  const std::string text = to_json(sample_snapshot());
  CHECK_THROWS_WITH_AS(
      snapshot_from_json(replaced(text, "\"format\": 1", "\"format\": 3"), "s"),
      "s: damaged: it says format 3, its content is of format 1; restore it from a copy", Error);
  CHECK(message_of([&] {
          snapshot_from_json(replaced(text, "\"format\": 1", "\"format\": -1"), "s");
        }) == "65 s: damaged: it says format -1; restore it from a copy");
  CHECK(message_of([&] {
          snapshot_from_json(replaced(text, "\"format\": 1,", "\"format\": 1,\n \"note\": 1,"),
                             "s");
        }).starts_with("65 s: damaged: its content is whole"));
  CHECK_THROWS_WITH_AS(snapshot_from_json(text + "\n", "s"),
                       "s: damaged: its content is whole, but other bytes were written for it; "
                       "restore it from a copy",
                       Error);
}

TEST_CASE("a snapshot whose checksum fits can still not be of shards that cannot be") {
  Snapshot snapshot = sample_snapshot();
  REQUIRE_FALSE(snapshot.shards.empty());
  snapshot.shards[0].rows = -1;
  CHECK(message_of([&] {
          snapshot_from_json(to_json(snapshot), "s");
        }).starts_with("65 s: damaged: of shard 0, rows is -1, must be 0.."));
  snapshot.shards[0].rows = 2;
  snapshot.shards[0].dead = {2};
  CHECK(message_of([&] { snapshot_from_json(to_json(snapshot), "s"); }) ==
        "65 s: damaged: of shard 0, the dead rows do not ascend within its 2; restore it from a "
        "copy");
}

TEST_CASE("a changed number is told with both checksums") {
  const std::string text = replaced(to_json(sample_snapshot()), "\"views\": 4", "\"views\": 5");
  CHECK_THROWS_WITH_AS(snapshot_from_json(text, "s"),
                       doctest::Contains("s: damaged: its content has checksum "), Error);
}

TEST_CASE("a snapshot of a newer format says both numbers and the fix") {
  const std::string text = replaced(to_json(sample_snapshot()), "\"format\": 1", "\"format\": 4");
  try {
    snapshot_from_json(text, "s");
    FAIL("it was read");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "s: snapshot format 4 is newer than this program's 3; update Letterpress");
    CHECK(error.exit() == Exit::configuration);
  }
}

TEST_CASE("another kind of file is not a snapshot") {
  CHECK_THROWS_WITH_AS(snapshot_from_json(to_json(ShardRecord{}), "s"),
                       "s: holds no snapshot with a checksum; restore it from a copy", Error);
  CHECK_THROWS_AS(snapshot_from_json("[1]", "s"), Error);
}

TEST_CASE("class names that are not UTF-8 are refused when they would be written") {
  Snapshot snapshot = sample_snapshot();
  snapshot.classes = {"caf\xE9"};
  CHECK_THROWS_WITH_AS(
      to_json(snapshot),
      doctest::Contains("hold text that is not UTF-8; convert the label files to UTF-8"), Error);
}

TEST_CASE("a shard's record goes to JSON and back") {
  const ShardRecord wanted{.shard = 3,
                           .digest = hash128("x"),
                           .dead = {{7, 1, "cut at \"byte\" 5", "copy; again"}},
                           .channel_sum = {1e12, 0.1, 3},
                           .pixels = 1'000'000'000'000};
  const ShardRecord got = shard_record_from_json(to_json(wanted), "r");
  CHECK(got.shard == 3);
  CHECK(got.digest == wanted.digest);
  REQUIRE(got.dead.size() == 1);
  CHECK(got.dead[0].row == 7);
  CHECK(got.dead[0].status == 1);
  CHECK(got.dead[0].what == wanted.dead[0].what);
  CHECK(got.dead[0].fix == wanted.dead[0].fix);
  CHECK(got.channel_sum == wanted.channel_sum);
  CHECK(got.pixels == wanted.pixels);
}

TEST_CASE("a record from before what and fix were kept apart is read: both are in what") {
  // Written by the program of that time.
  const std::string text = R"({
 "checksum": "12a4f3c155a0bbcd91186a4fb2f8e7fd",
 "format": 1,
 "record": {
  "channel_sum": [
   68699667.0,
   64777504.0,
   76702345.0
  ],
  "dead": [
   {
    "reason": "cannot be decoded: end of stream; copy the file again, or remove it",
    "row": 0,
    "status": 1
   }
  ],
  "digest": "e4375022f12f9dea647fc4c69c4b77cc",
  "pixels": 512000,
  "shard": 0
 }
}
)";
  const ShardRecord got = shard_record_from_json(text, "r");
  REQUIRE(got.dead.size() == 1);
  CHECK(got.dead[0].what == "cannot be decoded: end of stream; copy the file again, or remove it");
  CHECK(got.dead[0].fix.empty());
  CHECK(got.pixels == 512000);
}

TEST_CASE("a damaged record is refused") {
  const std::string text = to_json(ShardRecord{.shard = 3});
  CHECK_THROWS_WITH_AS(
      shard_record_from_json(replaced(text, "\"shard\": 3", "\"shard\": 4"), "3.json"),
      doctest::Contains("3.json: damaged"), Error);
  CHECK_THROWS_WITH_AS(shard_record_from_json(text.substr(0, 20), "3.json"),
                       doctest::Contains("3.json: not a readable record"), Error);
  CHECK_THROWS_WITH_AS(
      shard_record_from_json(replaced(text, "\"format\": 1", "\"format\": 9"), "3.json"),
      "3.json: record format 9 is newer than this program's 1; update Letterpress", Error);
}

TEST_CASE("a snapshot with views drawn anew alone says so in a format of its own") {
  Snapshot wanted = sample_snapshot();
  CHECK(to_json(wanted).find("redrawn") == std::string::npos);
  wanted.identity.redrawn = {3, 0, 1};
  const std::string text = to_json(wanted);
  CHECK(text.find("\"format\": 3") != std::string::npos);
  CHECK(snapshot_from_json(text, "s").identity == wanted.identity);
}

TEST_CASE(
    "no two draws of a view have the same number, and a view that was not redrawn keeps its") {
  const BuildIdentity identity{.draw = 5, .redrawn = {2, 0, 1}};
  CHECK(identity.draw_of(1) == 5 + (2ULL << 32));
  CHECK(identity.draw_of(2) == 5);
  CHECK(identity.draw_of(3) == 5 + (1ULL << 32));
  CHECK(identity.draw_of(4) == 5);
  CHECK(identity.draw_of(0) == 5);  // the clean row draws nothing
}
