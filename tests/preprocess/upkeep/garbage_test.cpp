#include "preprocess/upkeep/garbage.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "letterpress/base/fault_hook.h"
#include "preprocess/pipeline/steps.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/stop_at.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;
using Generations = std::vector<std::int64_t>;

void make_older(const fs::path& path, std::chrono::hours by) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - by);
}

// Snapshots 1..n of pictures whose bytes all change from one to the next, so that each has shards
// of its own; all 30 days old.
struct History {
  explicit History(int n) {
    for (int generation = 1; generation <= n; ++generation) {
      for (int i = 0; i < 3; ++i)
        set.picture("p" + std::to_string(i) + ".png", 10 * generation + i);
      set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2));
      build_quietly(set.options());
      make_older(snapshot_file(generation), std::chrono::hours(24 * 30));
    }
  }
  fs::path snapshot_file(std::int64_t generation) const {
    return store().folder() / "snapshots" / ("0000000" + std::to_string(generation) + ".json");
  }
  Store store() const { return Store::open(set.folder / "store"); }
  std::size_t shards() const { return shard_names(set.folder / "store").size(); }

  DrawnSet set;
};

bool is_whole(const Store& store, std::int64_t generation) {
  const SnapshotReader reader(store, store.snapshot(generation));  // checks every shard
  return !reader.pictures("train").empty() && !store.ledger(generation).empty();
}

}  // namespace

TEST_CASE(
    "gc keeps the newest snapshots whole and removes the others with the shards that only they "
    "need") {
  History history(5);
  const Store store = history.store();
  REQUIRE(history.shards() == 10);
  const GarbageReport report = collect_garbage(store, {.keep = 2});
  CHECK(report.snapshots == Generations{1, 2, 3});
  CHECK(report.shards.size() == 6);
  CHECK(report.bytes > 6 * 3 * 64 * 64 * 3);
  CHECK(store.generations() == Generations{4, 5});
  CHECK(history.shards() == 4);
  CHECK(is_whole(store, 4));
  CHECK(is_whole(store, 5));
  CHECK(collect_garbage(store, {.keep = 2}).shards.empty());
}

TEST_CASE("gc: shards that a snapshot shares with a kept one stay") {
  DrawnSet set;
  set.pictures(6);
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1));
  build_quietly(set.options());
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2));
  build_quietly(set.options());
  const Store store = Store::open(set.folder / "store");
  make_older(store.folder() / "snapshots/00000001.json", std::chrono::hours(1));
  const GarbageReport report =
      collect_garbage(store, {.keep = 1, .older_than = std::chrono::days(0)});
  CHECK(report.snapshots == Generations{1});
  CHECK(report.shards.empty());
  CHECK(is_whole(store, 2));
}

TEST_CASE("gc: snapshots that are not older than --older-than stay") {
  History history(4);
  make_older(history.snapshot_file(2), std::chrono::hours(24 * 10 - 1));
  const GarbageReport report =
      collect_garbage(history.store(), {.keep = 1, .older_than = std::chrono::days(10)});
  CHECK(report.snapshots == Generations{1, 3});
  CHECK(is_whole(history.store(), 2));
}

TEST_CASE(
    "gc: a snapshot that a run has pinned stays readable for a reader that is at it; an expired "
    "pin holds nothing and goes") {
  History history(4);
  const Store store = history.store();
  Pin pin(store, 1, "runs/a", history.set.folder / "a"),
      old(store, 2, "b", history.set.folder / "b");
  const SnapshotReader reader(store, store.snapshot(1));
  // As Pin writes it, but for the time.
  const fs::path file = store.folder() / "pins/2-b.json";
  nlohmann::json expired = nlohmann::json::parse(file_text(file));
  expired["pin"]["expires"] = 1'000'000'000;
  expired["checksum"] = hash128(expired["pin"].dump()).hex();
  fs::remove(file);
  std::ofstream(file) << expired.dump(1) << "\n";
  const fs::path unfinished = store.folder() / "pins/3-c.json.unfinished";
  std::ofstream(unfinished) << "{";
  fs::last_write_time(unfinished, fs::file_time_type::clock::now() - std::chrono::days(15));
  const GarbageReport report = collect_garbage(store, {.keep = 1});
  CHECK(report.snapshots == Generations{2, 3});
  CHECK(report.pins == std::vector<fs::path>{unfinished, file});
  CHECK_FALSE(fs::exists(unfinished));
  REQUIRE(report.kept.size() == 2);
  CHECK(report.kept[0].generation == 1);
  CHECK(report.kept[0].why.starts_with("pinned by run runs/a on "));
  CHECK(report.kept[1].why == "newest");
  CHECK(is_whole(store, 1));
  for (const PictureRows& picture : reader.pictures("train")) {
    std::vector<std::uint8_t> image(64 * 64 * 3);
    reader.shard(picture.clean.shard).read_images(picture.clean.row, 1, image.data());
    reader.shard(picture.clean.shard).verify_row(picture.clean.row, image);
  }
  pin.release();
  CHECK(collect_garbage(store, {.keep = 1}).snapshots == Generations{1});
}

TEST_CASE(
    "gc: what a plan of this week needs stays, so that the build goes on; an older plan goes with "
    "its shards") {
  DrawnSet set;
  set.pictures(40);
  BuildOptions options = set.options();
  options.shard_bytes = 4 * 64 * 64 * 3;
  options.threads = 1;
  StopAt stopper(12);
  CHECK(build(options, stopper, stopper.stop).stopped_by == SIGTERM);
  const Store store = Store::open(options.store);
  const std::size_t finished = shard_names(options.store).size();
  REQUIRE(finished >= 3);
  CHECK(collect_garbage(store, {}).shards.empty());
  SUBCASE(
      "young, with a shard whose record is not written yet, and what map keeps beside the plan") {
    const fs::path plan = fs::directory_iterator(options.store / "plans")->path();
    fs::remove(plan / "0.json");
    std::ofstream(plan / "file-in-the-making") << "x";
    std::ofstream(plan / "4.parts");
    CHECK(collect_garbage(store, {}).shards.empty());
    CHECK(shard_names(options.store).size() == finished);
    for (const char* name : {"plan.h5", "terms.json", "file-in-the-making", "4.parts"})
      CHECK(fs::exists(plan / name));
  }
  SUBCASE("young") {
    const BuildReport report = build_quietly(options);
    CHECK(report.published);
    CHECK(report.rows_resumed >= 12);
  }
  SUBCASE("old") {
    for (const auto& plan : fs::directory_iterator(options.store / "plans"))
      make_older(plan.path(), std::chrono::hours(24 * 7 + 1));
    const GarbageReport report = collect_garbage(store, {});
    CHECK(report.plans.size() == 1);
    CHECK(report.shards.size() == finished);
    CHECK(fs::is_empty(options.store / "plans"));
    CHECK(build_quietly(options).published);
  }
  SUBCASE("damaged: nobody knows what it needs") {
    const fs::path plan = fs::directory_iterator(options.store / "plans")->path() / "plan.h5";
    const std::string bytes = file_text(plan);
    fs::remove(plan);
    std::ofstream(plan, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    CHECK(message_of([&] { collect_garbage(store, {}); }).find("plan.h5: ") != std::string::npos);
    CHECK(shard_names(options.store).size() == finished);
  }
}

TEST_CASE(
    "gc: an old shard that nobody needed and a part has just made again stays, though its record "
    "is not written yet") {
  DrawnSet set;
  set.pictures(3);
  BuildListener silent;
  const fs::path plan_file = plan(set.options(), silent, kNoStop).plan;
  const auto make = [&] {
    map_part({plan_file, {0, 1, "test"}, 1, kNoStop}, silent);
    for (const char* record : {"0.json", "1.json"}) fs::remove(plan_file.parent_path() / record);
  };
  make();
  const Store store = Store::open(set.folder / "store");
  REQUIRE(shard_names(store.folder()).size() == 2);
  for (const auto& shard : fs::directory_iterator(store.shards_folder()))
    make_older(shard.path(), std::chrono::hours(24 * 30));
  REQUIRE(collect_garbage(store, {.dry_run = true}).shards.size() == 2);
  make();
  CHECK(collect_garbage(store, {}).shards.empty());
}

TEST_CASE(
    "gc: a dry run tells the same and removes nothing, even while a build runs; a real one waits "
    "for its end") {
  History history(3);
  const Store store = history.store();
  const auto before = listing(store.folder());
  GarbageReport dry;
  {
    const FileLock building = store.lock();
    dry = collect_garbage(store, {.keep = 1, .dry_run = true});
    CHECK(message_of([&] { collect_garbage(store, {.keep = 1}); }).starts_with("75 "));
  }
  CHECK(listing(store.folder()) == before);
  const GarbageReport real = collect_garbage(store, {.keep = 1});
  CHECK(real.snapshots == dry.snapshots);
  CHECK(real.shards == dry.shards);
  CHECK(real.bytes == dry.bytes);
}

TEST_CASE(
    "gc: a ledger whose snapshot is gone, as a gc leaves it that is killed between the two, goes "
    "with the next one") {
  History history(3);
  const Store store = history.store();
  fs::remove(history.snapshot_file(1));
  const fs::path ledger = store.folder() / "snapshots/00000001.ledger.h5";
  REQUIRE(fs::exists(ledger));
  collect_garbage(store, {.keep = 3, .dry_run = true});
  CHECK(fs::exists(ledger));
  collect_garbage(store, {.keep = 3});
  CHECK_FALSE(fs::exists(ledger));
  CHECK(is_whole(store, 2));
  CHECK(is_whole(store, 3));
}

TEST_CASE("gc makes it durable that a snapshot is gone before it removes what the snapshot names") {
  History history(2);
  const Store store = history.store();
  std::vector<std::string> calls;
  set_fault_hook([&](std::string_view operation, std::string_view path) {
    if (operation == "unlink" || operation == "sync")
      calls.push_back(std::string(operation) + " " + fs::path(path).extension().string());
    return 0;
  });
  collect_garbage(store, {.keep = 1});
  set_fault_hook(nullptr);
  const std::vector<std::string> wanted{"unlink .json", "sync ", "unlink .h5"};
  CHECK(std::ranges::search(calls, wanted).begin() != calls.end());
}

TEST_CASE("gc: a damaged snapshot that stays stops it before anything is removed") {
  History history(3);
  const Store store = history.store();
  const fs::path file = history.snapshot_file(2);
  const std::string text = file_text(file);
  fs::remove(file);
  std::ofstream(file) << text.substr(0, 100);
  const auto before = shard_names(store.folder());
  CHECK(message_of([&] {
          collect_garbage(store, {.keep = 2});
        }).starts_with("65 " + file.string() + ": "));
  CHECK(shard_names(store.folder()) == before);
  CHECK(store.generations() == Generations{1, 2, 3});
}

TEST_CASE("gc and build leave alone what the folders of a store are linked to") {
  for (const char* name : {"tmp", "shards", "snapshots", "plans", "pins", "cache"}) {
    CAPTURE(name);
    History history(2);
    const Store store = history.store();
    const fs::path outside = history.set.folder / "outside", own = store.folder() / name;
    fs::rename(own, outside);
    std::ofstream(outside / "precious.txt") << "x";
    fs::create_directory_symlink(outside, own);
    const auto names = [&] { return std::distance(fs::directory_iterator(outside), {}); };
    const auto before = names();
    const std::string wanted = "78 " + own.string() + ": is a symbolic link, which may lead out";
    CHECK(message_of([&] { collect_garbage(store, {.keep = 1}); }).starts_with(wanted));
    CHECK(message_of([&] { build_quietly(history.set.options()); }).starts_with(wanted));
    CHECK(names() == before);
  }
}

TEST_CASE("gc: a plan that is a link is told, and what it is linked to stays") {
  History history(1);
  const Store store = history.store();
  const fs::path outside = history.set.folder / "outside", plan = store.folder() / "plans/x";
  fs::create_directory(outside);
  std::ofstream(outside / "precious.txt") << "x";
  fs::create_directory_symlink(outside, plan);
  make_older(outside, std::chrono::hours(24 * 30));
  CHECK(message_of([&] { collect_garbage(store, {.keep = 1}); }) ==
        "78 " + plan.string() +
            ": is a symbolic link, which may lead out of the store; remove this link");
  CHECK(fs::exists(outside / "precious.txt"));
}

}  // namespace letterpress
