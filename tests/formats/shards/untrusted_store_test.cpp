// Stores that somebody else made: nothing outside of them is read, written or removed.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>

#include "letterpress/base/error.h"
#include "letterpress/shards/open_shard.h"
#include "letterpress/shards/store.h"
#include "sample_shard.h"
#include "sample_snapshot.h"
#include "tests/contains.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

// A published store, and a folder outside of it.
struct Sample {
  TempDir dir;
  Store store = Store::create(dir / "store");
  fs::path outside = dir / "outside";
  Sample() {
    REQUIRE(store.publish(sample_snapshot(1), sample_ledger()));
    dir.write("outside/precious", "x");
  }
  // Moves a part of the store outside and links it back.
  fs::path link(const std::string& name) const {
    const fs::path away = outside / fs::path(name).filename();
    if (fs::exists(store.folder() / name))
      fs::rename(store.folder() / name, away);
    else
      fs::create_directories((store.folder() / name).parent_path());
    fs::create_symlink(away, store.folder() / name);
    return store.folder() / name;
  }
};

constexpr std::array kOwn{"tmp",    "shards", "snapshots",        "pins",          "cache", "plans",
                          "FORMAT", "lock",   "quarantine.jsonl", "cache/unpacked"};

}  // namespace

TEST_CASE("a store whose own folders or files are links is neither opened, locked nor made") {
  for (const char* name : kOwn) {
    CAPTURE(name);
    const Sample sample;
    const fs::path linked = sample.link(name);
    const std::string wanted =
        "78 " + linked.string() +
        ": is a symbolic link, which may lead out of the store; a store holds its files itself: "
        "move them back, or move the whole store, which may be reached by a link";
    CHECK(message_of([&] { sample.store.lock(); }) == wanted);
    if (std::string(name) == "FORMAT") {
      CHECK(message_of([&] { Store::open(sample.store.folder()); }) == wanted);
    } else {
      CHECK(message_of([&] { Store::open(sample.store.folder()); }) == wanted);
      CHECK(message_of([&] { Store::create(sample.store.folder()); }) == wanted);
    }
    CHECK(read_file(sample.outside / "precious") == "x");
  }
}

TEST_CASE("what lies in a folder that tmp is a link to stays") {
  const Sample sample;
  fs::remove(sample.store.folder() / "tmp");
  fs::create_symlink(sample.outside, sample.store.folder() / "tmp");
  CHECK_THROWS_AS(sample.store.lock(), Error);
  CHECK(read_file(sample.outside / "precious") == "x");
}

TEST_CASE("an unfinished store with a link is not finished") {
  TempDir dir;
  fs::create_directories(dir / "outside");
  fs::create_directories(dir / "store");
  fs::create_symlink(dir / "outside", dir / "store/tmp");
  CHECK_CONTAINS(message_of([&] { Store::create(dir / "store"); }), "tmp: is a symbolic link");
  fs::remove(dir / "store/tmp");
  fs::create_symlink(dir / "outside/lock", dir / "store/lock");
  CHECK_CONTAINS(message_of([&] { Store::create(dir / "store"); }), "lock: is a symbolic link");
  CHECK(fs::is_empty(dir / "outside"));
}

TEST_CASE("the store itself may be reached by a link") {
  const Sample sample;
  fs::create_symlink(sample.store.folder(), sample.dir / "link");
  const Store store = Store::open(sample.dir / "link");
  CHECK(store.latest()->generation == 1);
  CHECK_NOTHROW(store.lock());
  CHECK_NOTHROW(Store::create(sample.dir / "link"));
}

TEST_CASE("a file of a store is read only where it is a file") {
  const Sample sample;
  const std::string number = "snapshots/00000001";
  const fs::path snapshot = sample.link(number + ".json");
  CHECK_CONTAINS(message_of([&] { (void)sample.store.latest(); }),
                 snapshot.string() + ": is a symbolic link, must be a file itself");
  fs::remove(snapshot);
  fs::rename(sample.outside / "00000001.json", snapshot);
  const fs::path ledger = sample.link(number + ".ledger.h5");
  CHECK_CONTAINS(message_of([&] { (void)sample.store.ledger(1); }),
                 ledger.string() + ": is a symbolic link, must be a file itself");
  fs::remove(ledger);
  REQUIRE(mkfifo(ledger.c_str(), 0644) == 0);
  CHECK_CONTAINS(message_of([&] { (void)sample.store.ledger(1); }),
                 ledger.string() + ": is not a regular file (a folder, FIFO or device)");
  sample.dir.write("outside/1-a.json", "x");
  const fs::path pin = sample.link("pins/1-a.json");
  CHECK_CONTAINS(message_of([&] { (void)Pin::list(sample.store); }),
                 pin.string() + ": is a symbolic link");
  sample.dir.write("store/plans/x/plan.h5", "x");
  const fs::path plan = sample.link("plans/x");
  CHECK_CONTAINS(message_of([&] { (void)sample.store.plan_folders(); }),
                 plan.string() + ": is a symbolic link");
}

TEST_CASE("a ledger with rows that the snapshot does not have is told with the picture") {
  const Sample sample;
  std::vector<LedgerEntry> ledger = sample_ledger();
  ledger[0].rows.back() = {.shard = 2, .row = 0};
  REQUIRE(sample.store.publish(sample_snapshot(2), ledger));
  ledger[0].rows.back() = {.shard = 1, .row = 68, .n = 3};
  REQUIRE(sample.store.publish(sample_snapshot(3), ledger));
  for (const std::int64_t generation : {2, 3})
    CHECK_CONTAINS(message_of([&] { (void)sample.store.ledger(generation); }),
                   ".ledger.h5: has a b.jpg in rows that snapshot " + std::to_string(generation) +
                       " does not have; restore both from the same copy");
}

TEST_CASE("files of a store that are too large to be what they should are told with their size") {
  const Sample sample;
  for (const char* name : {"FORMAT", "snapshots/00000001.json"}) {
    CAPTURE(name);
    const fs::path file = sample.store.folder() / name;
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    fs::resize_file(file, std::uintmax_t{1} << 40);  // sparse
  }
  CHECK_CONTAINS(message_of([&] { Store::open(sample.store.folder()); }),
                 "65 " + (sample.store.folder() / "FORMAT").string() +
                     ": has 1099511627776 bytes, must have at most 1024; restore it from a copy");
  CHECK_CONTAINS(message_of([&] { (void)sample.store.latest(); }),
                 "00000001.json: has 1099511627776 bytes, must have at most 1073741824");
}

TEST_CASE("a row of a class that the snapshot does not have is refused with its number") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const fs::path file = write_sample(store.shards_folder());  // row 0 has a box of class 1
  Snapshot snapshot{.generation = 3, .classes = {"cat", "dog"}};
  snapshot.identity.side = kSampleSide;
  snapshot.shards = {{.digest = Hash128::from_hex(file.stem().string()),
                      .split = "train",
                      .rows = 3,
                      .max_boxes = 8}};
  CHECK_NOTHROW(open_shard(store, snapshot, 0));
  snapshot.classes.pop_back();
  CHECK(message_of([&] { open_shard(store, snapshot, 0); }) ==
        "65 " + file.string() +
            ": row 0 (a b.jpg) is of class 1, snapshot 3 has 1; restore shard and snapshot from "
            "the same copy");
  snapshot.shards[0].dead = {0};
  CHECK_NOTHROW(open_shard(store, snapshot, 0));
}

TEST_CASE("a shard that is a link or a FIFO is not opened, and made anew by who writes it") {
  TempDir dir;
  fs::create_directories(dir / "shards");
  const fs::path away = write_sample(dir.path()), shard = dir / "shards" / away.filename();
  fs::create_symlink(away, shard);
  CHECK_CONTAINS(message_of([&] { ShardReader{shard}; }),
                 shard.string() + ": is a symbolic link, must be a file itself");
  CHECK(write_sample(dir / "shards") == shard);
  CHECK_FALSE(fs::is_symlink(shard));
  CHECK_NOTHROW(ShardReader{shard});
  CHECK_NOTHROW(ShardReader{away});
  fs::remove(shard);
  REQUIRE(mkfifo(shard.c_str(), 0644) == 0);
  CHECK_CONTAINS(message_of([&] { ShardReader{shard}; }), "is not a regular file");
}
