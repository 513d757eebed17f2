// What a build does about shards that the disk damaged or lost.
#include <doctest/doctest.h>

#include <csignal>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/stop_at.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shards_of(const BuildOptions& options) {
  std::vector<fs::path> paths;
  const Store store = Store::open(options.store);
  const Snapshot snapshot = store.latest().value();
  for (const SnapshotShard& shard : snapshot.shards)
    paths.push_back(store.shard_path(shard.digest));
  return paths;
}

void put(const fs::path& file, const std::string& bytes) {
  fs::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

// One bit of the first row's pixels, which the digest does not cover.
void turn_pixel(const fs::path& shard) {
  std::string bytes = file_text(shard);
  bytes[static_cast<std::size_t>(ShardReader(shard).stored_pixels(0).offset) + 100] ^= 1;
  put(shard, bytes);
}

class Notes : public BuildListener {
 public:
  void note(const std::string& text) override { all += text + "\n"; }
  std::string all;
};

}  // namespace

TEST_CASE("--rebuild replaces a shard of which a bit in the pixels was turned") {
  DrawnSet set;
  set.pictures(5);
  BuildOptions options = set.options();
  build_quietly(options);
  const auto good = row_contents(options.store);
  turn_pixel(shards_of(options)[0]);
  CHECK(message_of([&] {
          row_contents(options.store);
        }).find("is damaged: pixels or tables do not match its checksum") != std::string::npos);
  options.rebuild = true;
  CHECK(build_quietly(options).generation == 2);
  CHECK(row_contents(options.store) == good);
}

TEST_CASE("shards that are missing or cut are made anew by a plain build, the others are kept") {
  DrawnSet set;
  set.pictures(5);
  BuildOptions options = set.options();
  options.shard_bytes = 4 * 64 * 64 * 3;
  build_quietly(options);
  const auto good = row_contents(options.store);
  for (std::size_t i = 0; i < shards_of(options).size(); ++i) {
    for (const bool cut : {false, true}) {
      CAPTURE(i);
      CAPTURE(cut);
      const fs::path shard = shards_of(options)[i];
      const std::string bytes = file_text(shard);
      const std::int64_t rows = ShardReader(shard).rows();
      fs::remove(shard);
      if (cut) put(shard, bytes.substr(0, bytes.size() / 2));
      const BuildReport report = build_quietly(options);
      CHECK(report.published);
      CHECK(report.damaged_shards == std::vector<fs::path>{shard});
      CHECK(report.rows_new == rows);
      CHECK(row_contents(options.store) == good);
      CHECK_FALSE(build_quietly(options).published);
    }
  }
}

TEST_CASE("a missing shard and a new picture: both are made") {
  DrawnSet set;
  set.pictures(5);
  const std::string all = file_text(set.folder / "train.txt");
  set.list("train.txt",
           DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2) + DrawnSet::line(3));
  const BuildOptions options = set.options();
  build_quietly(options);
  fs::remove(shards_of(options)[1]);
  set.list("train.txt", all);
  const BuildReport report = build_quietly(options);
  CHECK(report.rows_new == 8 + 3);
  CHECK(row_contents(options.store).size() == 15);
}

TEST_CASE("a dry run says which shards are missing and makes none") {
  DrawnSet set;
  set.pictures(2);
  BuildOptions options = set.options();
  build_quietly(options);
  const fs::path shard = shards_of(options)[0];
  fs::remove(shard);
  options.dry_run = true;
  const BuildReport report = build_quietly(options);
  CHECK(report.damaged_shards == std::vector<fs::path>{shard});
  CHECK(report.rows_new == 2);
  CHECK_FALSE(fs::exists(shard));
}

TEST_CASE(
    "a bit turned in the pixels of a shard that an interrupted build finished: the shard is made "
    "again") {
  StopAt stopper(20);
  DrawnSet set;
  set.pictures(40);
  BuildOptions options = set.options();
  options.shard_bytes = 4 * 64 * 64 * 3;
  CHECK(build(options, stopper, stopper.stop).stopped_by == SIGTERM);
  REQUIRE(shard_names(options.store).size() >= 3);
  turn_pixel(options.store / "shards" / *shard_names(options.store).begin());
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.rows_resumed > 0);
  CHECK(row_contents(options.store).size() == 120);  // reads and checks every row
}

TEST_CASE(
    "a damaged record of a shard that an interrupted build finished is taken for none, with a "
    "note") {
  DrawnSet set;
  set.pictures(40);
  BuildOptions options = set.options();
  options.shard_bytes = 4 * 64 * 64 * 3;
  StopAt stopper(20);
  CHECK(build(options, stopper, stopper.stop).stopped_by == SIGTERM);
  std::vector<fs::path> records;
  for (const auto& entry : fs::recursive_directory_iterator(options.store / "plans")) {
    if (entry.path().extension() == ".json") records.push_back(entry.path());
  }
  REQUIRE(records.size() >= 3);
  put(records[0], file_text(records[0]).substr(0, 60));
  put(records[1], "");
  Notes notes;
  const BuildReport report = build(options, notes, kNoStop);
  CHECK(report.published);
  CHECK(report.rows_resumed > 0);
  for (const fs::path& record : {records[0], records[1]}) {
    CHECK(notes.all.find(record.string() +
                         ": not a readable record (cut or damaged); restore it from "
                         "a copy (its shard is made again)") != std::string::npos);
  }
  CHECK(row_contents(options.store).size() == 120);
}

}  // namespace letterpress
