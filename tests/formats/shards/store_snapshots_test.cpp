#include <doctest/doctest.h>

#include "flip.h"
#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"
#include "letterpress/shards/store.h"
#include "sample_snapshot.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

struct FaultHookGuard {
  explicit FaultHookGuard(FaultHook hook) { set_fault_hook(std::move(hook)); }
  ~FaultHookGuard() { set_fault_hook(nullptr); }
};

}  // namespace

TEST_CASE("snapshots are published in order and read back") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  CHECK_FALSE(store.latest());
  CHECK_THROWS_WITH_AS(
      store.snapshot(1),
      doctest::Contains(
          "has no snapshot 1; nothing was published yet, run `letterpress-preprocess build`"),
      Error);
  for (const std::int64_t generation : {1, 2, 100'000'000})
    CHECK(store.publish(sample_snapshot(generation), sample_ledger()));
  CHECK(store.generations() == std::vector<std::int64_t>{1, 2, 100'000'000});
  CHECK(store.latest()->generation == 100'000'000);
  Snapshot named = sample_snapshot(2);
  named.ledger_digest = hash_file(store.folder() / "snapshots/00000002.ledger.h5");
  CHECK(to_json(store.snapshot(2)) == to_json(named));
  CHECK(store.ledger(2) == sample_ledger());
  CHECK(fs::exists(store.folder() / "snapshots/00000002.json"));
  CHECK(fs::exists(store.folder() / "snapshots/00000002.ledger.h5"));
  CHECK_THROWS_WITH_AS(store.snapshot(3),
                       doctest::Contains("has no snapshot 3; there are: 1, 2, 100000000"), Error);
  CHECK(fs::is_empty(store.temporary_folder()));
}

TEST_CASE("a file that is called otherwise than snapshots are is none") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  REQUIRE(store.publish(sample_snapshot(1), sample_ledger()));
  for (const char* name :
       {"2.json", "0000002.json", "000000002.json", "-0000002.json", "00000002.json.old",
        "00000002.jso", "00000002", "0000000a.json", ".json", "99999999999999999999.json"})
    dir.write(std::string("store/snapshots/") + name, "{}");
  CHECK(store.generations() == std::vector<std::int64_t>{1});
}

TEST_CASE("a changed bit anywhere in a ledger's file is found, in bytes that hold nothing too") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  REQUIRE(store.publish(sample_snapshot(1), sample_ledger()));
  const fs::path file = store.folder() / "snapshots/00000001.ledger.h5";
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  for (std::int64_t at = 0; at < size; at += 11) {
    CAPTURE(at);
    const Flip flip(file, at, 1 << at % 8);
    CHECK_THROWS_WITH_AS(store.ledger(1), doctest::Contains((file.string() + ": ").c_str()), Error);
  }
  CHECK(store.ledger(1) == sample_ledger());
}

TEST_CASE("the ledger of a snapshot that does not name it is read as before") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  REQUIRE(store.publish(sample_snapshot(1), sample_ledger()));
  const fs::path file = store.folder() / "snapshots/00000001.json";
  fs::remove(file);
  std::ofstream(file) << to_json(sample_snapshot(1));
  CHECK(store.snapshot(1).ledger_digest == Hash128{});
  CHECK(store.ledger(1) == sample_ledger());
}

TEST_CASE("of two builders of one generation one wins, and the loser changes nothing") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  CHECK(store.publish(sample_snapshot(1), sample_ledger()));
  Snapshot other = sample_snapshot(1);
  other.producer = "the loser";
  CHECK_FALSE(store.publish(other, {}));
  CHECK(store.latest()->producer == sample_snapshot(1).producer);
  CHECK(store.ledger(1) == sample_ledger());
}

TEST_CASE("a builder that died between ledger and snapshot does not block the next") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  write_ledger(store.folder() / "snapshots/00000001.ledger.h5", {});
  CHECK(store.generations().empty());
  CHECK(store.publish(sample_snapshot(1), sample_ledger()));
  CHECK(store.ledger(1) == sample_ledger());
}

TEST_CASE(
    "whichever call fails while publishing, nothing is published and the old snapshot stands") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  REQUIRE(store.publish(sample_snapshot(1), sample_ledger()));
  // Let the first, second, ... call of the durable layer fail, until none is left to fail.
  int failing = 0;
  for (bool failed = true; failed; ++failing) {
    CAPTURE(failing);
    failed = false;
    int call = 0;
    bool linked_snapshot = false;
    {
      const FaultHookGuard guard([&](std::string_view operation, std::string_view path) {
        linked_snapshot |= operation == "link" && path.ends_with(".json") && call != failing;
        return operation != "read" && operation != "unlink" && call++ == failing ? ENOSPC : 0;
      });
      try {
        const bool published = store.publish(sample_snapshot(2), sample_ledger());
        CHECK(published);
      } catch (const Error& error) {
        failed = true;
        CHECK(error.exit() == Exit::io);
        CHECK(std::string(error.what()).find("No space left on device") != std::string::npos);
      }
    }
    CHECK(fs::is_empty(store.temporary_folder()));
    CHECK(store.snapshot(1).producer == sample_snapshot(1).producer);
    CHECK(store.ledger(1) == sample_ledger());
    if (failed && !linked_snapshot) CHECK(store.generations() == std::vector<std::int64_t>{1});
    if (failed && linked_snapshot)
      fs::remove(store.folder() /
                 "snapshots/00000002.json");  // the folder's fsync came after the link
  }
  CHECK(failing >= 8);
  CHECK(store.latest()->generation == 2);
}

TEST_CASE("a damaged newest snapshot is an error, not a reason to take the one before") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  REQUIRE(store.publish(sample_snapshot(1), {}));
  REQUIRE(store.publish(sample_snapshot(2), {}));
  const Flip flip(store.folder() / "snapshots/00000002.json", 200);
  CHECK_THROWS_WITH_AS(store.latest(), doctest::Contains("00000002.json: "), Error);
  CHECK_THROWS_WITH_AS(store.latest(),
                       doctest::Contains("restore it from a copy; or name another snapshot with "
                                         "--snapshot: 1; without a copy, move it and "
                                         "its .ledger.h5 elsewhere and build again"),
                       Error);
  CHECK_NOTHROW(store.snapshot(1));
}

TEST_CASE("a snapshot under another's name is refused") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  REQUIRE(store.publish(sample_snapshot(1), {}));
  fs::copy_file(store.folder() / "snapshots/00000001.json",
                store.folder() / "snapshots/00000005.json");
  CHECK_THROWS_WITH_AS(store.snapshot(5),
                       doctest::Contains("00000005.json: holds generation 1; was it renamed?"),
                       Error);
}

TEST_CASE(
    "reading what was removed meanwhile is busy, not damage; without the store it is as ever") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  for (const std::int64_t generation : {1, 2})
    REQUIRE(store.publish(sample_snapshot(generation), sample_ledger()));
  const Snapshot read = store.snapshot(1);
  const auto exit_of = [&](auto&& act) {
    try {
      act();
    } catch (const Error& error) {
      CAPTURE(error.what());
      return static_cast<int>(error.exit());
    }
    return 0;
  };
  // Its shards were never made.
  const int damaged = exit_of([&] { SnapshotReader(store, read); });
  CHECK(damaged == static_cast<int>(Exit::data));
  store.remove_snapshot(1);
  const int removed = static_cast<int>(Exit::busy);
  CHECK(exit_of([&] { SnapshotReader(store, read); }) == removed);
  CHECK(exit_of([&] { (void)store.ledger(1); }) == removed);
  CHECK_THROWS_WITH_AS((void)store.ledger(1),
                       doctest::Contains(": snapshot 1 was removed while it was read; gc and "
                                         "refresh remove old ones; run it again, with --snapshot "
                                         "if it named this one: 2"),
                       Error);
  CHECK(store.latest()->generation == 2);
  // A name that is listed and leads nowhere, as that of a file which another host has removed.
  fs::create_symlink("gone", store.snapshot_path(3));
  CHECK(exit_of([&] { (void)store.latest(); }) == removed);
  fs::remove(store.snapshot_path(3));
  CHECK(store.latest()->generation == 2);
  fs::rename(dir / "store", dir / "elsewhere");
  CHECK(exit_of([&] { (void)store.ledger(1); }) != removed);
}
