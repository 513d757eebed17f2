#include "letterpress/shards/store.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "flip.h"
#include "letterpress/base/error.h"
#include "letterpress/base/fault.h"
#include "sample_snapshot.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

struct FaultHookGuard {
  explicit FaultHookGuard(FaultHook hook) { set_fault_hook(std::move(hook)); }
  ~FaultHookGuard() { set_fault_hook(nullptr); }
};

// Runs `work` in a process of its own, keeps it alive until the object dies.
class OtherProcess {
 public:
  template <class Work>
  explicit OtherProcess(Work work) {
    if (pipe(ready_) != 0 || pipe(finish_) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    char byte = 0;
    if (child_ == 0) {
      const auto held = work();
      const bool told = write(ready_[1], "x", 1) == 1 && read(finish_[0], &byte, 1) == 1;
      _exit(told ? 0 : 1);
    }
    if (read(ready_[0], &byte, 1) != 1) throw std::runtime_error("the other process failed");
  }
  ~OtherProcess() {
    if (write(finish_[1], "x", 1) == 1) waitpid(child_, nullptr, 0);
    for (const int descriptor : {ready_[0], ready_[1], finish_[0], finish_[1]}) close(descriptor);
  }

 private:
  int ready_[2]{}, finish_[2]{};
  pid_t child_ = -1;
};

Exit exit_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.exit();
  }
  return Exit::done;
}

}  // namespace

TEST_CASE("a store is made in a new or empty folder, and opened again") {
  TempDir dir;
  const Store store = Store::create(dir / "a/store");
  CHECK(read_file(store.folder() / "FORMAT") == "letterpress store 1\n");
  for (const char* name : {"plans", "shards", "snapshots", "pins", "cache", "tmp"}) {
    CAPTURE(name);
    CHECK(fs::is_directory(store.folder() / name));
  }
  CHECK(Store::open(dir / "a/store").folder() == store.folder());
  CHECK_NOTHROW(Store::create(dir / "a/store"));
  fs::create_directory(dir / "empty");
  CHECK_NOTHROW(Store::create(dir / "empty"));
}

TEST_CASE("a store that was killed while it was made is finished by the next") {
  TempDir dir;
  for (const char* name : {"plans", "shards", "tmp"}) fs::create_directory(dir / name);
  dir.write("tmp/123-4", "letterpr");
  CHECK_NOTHROW(Store::create(dir.path()));
  CHECK_NOTHROW(Store::open(dir.path()));
}

TEST_CASE("a folder with other things is neither taken over nor opened") {
  TempDir dir;
  dir.write("holiday.jpg", "x");
  CHECK_THROWS_WITH_AS(
      Store::create(dir.path()),
      doctest::Contains("is neither empty nor a Letterpress store; name a new or empty folder"),
      Error);
  CHECK(exit_of([&] { Store::create(dir.path()); }) == Exit::cannot_create);
  CHECK_THROWS_WITH_AS(
      Store::open(dir.path()),
      doctest::Contains("is no Letterpress store (it has no file FORMAT); build one with"), Error);
  dir.write("cache/theirs", "x");
  fs::remove(dir / "holiday.jpg");
  CHECK_THROWS_AS(Store::create(dir.path()), Error);
  CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("a folder that is not there is no input") {
  TempDir dir;
  CHECK_THROWS_WITH_AS(Store::open(dir / "none"),
                       doctest::Contains("none: no such folder; check --store"), Error);
  CHECK(exit_of([&] { Store::open(dir / "none"); }) == Exit::no_input);
}

TEST_CASE("a store of a newer or unknown format says what it is") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const auto with_format = [&](const std::string& text) {
    replace_file(store.folder() / "FORMAT", text);
  };
  with_format("letterpress store 7\n");
  for (const auto& use : {Store::open, Store::create}) {
    CHECK_THROWS_WITH_AS(
        use(store.folder()),
        doctest::Contains(
            "store: store format 7 is newer than this program's 1; update Letterpress"),
        Error);
    CHECK(exit_of([&] { use(store.folder()); }) == Exit::configuration);
  }
  with_format("something else");
  CHECK_THROWS_WITH_AS(
      Store::open(store.folder()),
      doctest::Contains("FORMAT: says 'something else'; wanted 'letterpress store 1'"), Error);
  with_format("");
  CHECK_THROWS_AS(Store::open(store.folder()), Error);
}

TEST_CASE("the lock of a running builder is respected, that of a dead one is not in the way") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  {
    const OtherProcess builder([&] { return store.lock(); });
    CHECK_THROWS_WITH_AS(
        store.lock(),
        doctest::Contains(
            "lock: held by another running process; wait for it to end and try again"),
        Error);
    CHECK(exit_of([&] { const FileLock lock = store.lock(); }) == Exit::busy);
  }
  CHECK_NOTHROW(store.lock());
}

TEST_CASE(
    "who takes the lock makes the folders that a copy of the store has dropped because they were "
    "empty") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  for (const char* name : {"plans", "pins", "cache", "tmp"}) fs::remove(dir / "store" / name);
  const FileLock lock = store.lock();
  for (const char* name : {"plans", "pins", "cache", "tmp"})
    CHECK(fs::is_directory(dir / "store" / name));
}

TEST_CASE(
    "who takes the lock clears what dead builders left; who does not get it leaves the living "
    "one's files") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  std::ofstream(store.temporary_folder() / "17-left") << "half a shard";
  {
    const OtherProcess builder([&] {
      FileLock lock = store.lock();
      return std::pair(std::move(lock), TemporaryFile(store.temporary_folder()));
    });
    CHECK_THROWS_AS(store.lock(), Error);
    CHECK(std::distance(fs::directory_iterator(store.temporary_folder()), {}) == 1);
    CHECK_FALSE(fs::exists(store.temporary_folder() / "17-left"));
  }
  const FileLock lock = store.lock();
  CHECK(fs::is_empty(store.temporary_folder()));
}

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
  CHECK(to_json(store.snapshot(2)) == to_json(sample_snapshot(2)));
  CHECK(store.ledger(2) == sample_ledger());
  CHECK(fs::exists(store.folder() / "snapshots/00000002.json"));
  CHECK(fs::exists(store.folder() / "snapshots/00000002.ledger.h5"));
  CHECK_THROWS_WITH_AS(store.snapshot(3),
                       doctest::Contains("has no snapshot 3; there are: 1, 2, 100000000"), Error);
  CHECK(fs::is_empty(store.temporary_folder()));
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
    CHECK(to_json(store.snapshot(1)) == to_json(sample_snapshot(1)));
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

TEST_CASE("rejects are appended as JSON lines, bytes that are no text included") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  store.quarantine(1, {});
  CHECK_FALSE(fs::exists(store.quarantine_path()));
  store.quarantine(
      1, {{"a.txt:3", "x is \"nan\"", "write a number"}, {"b\xFF.jpg", "empty", "remove it"}});
  store.quarantine(2, {{"c", "d", "e"}});
  std::ifstream file(store.quarantine_path());
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["where"] == "a.txt:3");
  CHECK(lines[0]["what"] == "x is \"nan\"");
  CHECK(lines[0]["fix"] == "write a number");
  CHECK(lines[0]["generation"] == 1);
  CHECK(lines[0]["time"].get<std::string>().size() == std::string("2024-01-31T12:00:00Z").size());
  CHECK(lines[1]["where"] == "b\xEF\xBF\xBD.jpg");
  CHECK(lines[2]["generation"] == 2);
}

TEST_CASE("a reject is told once, with the generation in which it was first met") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const Reject old{"a.txt:3", "x is \"nan\"", "write a number"},
      bytes{"b\xFF.jpg", "empty", "remove it"}, added{"a.txt:4", "cut", "mend"};
  store.quarantine(1, {old, bytes});
  store.quarantine(2, {old, added, bytes, added});
  std::ofstream(store.quarantine_path(), std::ios::app)
      << R"({"time":"20)";  // a full disk cut this line
  store.quarantine(3, {added, {"a.txt:4", "cut", "another remedy"}});
  std::ifstream file(store.quarantine_path());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  REQUIRE(lines.size() == 5);
  CHECK(nlohmann::json::parse(lines[2])["where"] == "a.txt:4");
  CHECK(nlohmann::json::parse(lines[2])["generation"] == 2);
  CHECK(lines[3] == R"({"time":"20)");
  CHECK(nlohmann::json::parse(lines[4])["fix"] == "another remedy");
}

TEST_CASE(
    "of builders that make one store at the same time each makes or opens it, or is told that it "
    "is busy") {
  TempDir dir;
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    const fs::path folder = dir / std::to_string(round);
    std::atomic<int> ready{0}, opened{0};
    std::array<std::string, 6> failures;
    std::vector<std::thread> builders;
    for (std::string& failure : failures) {
      builders.emplace_back([&] {
        for (++ready; ready < 6;) std::this_thread::yield();
        try {
          const Store store = Store::create(folder);
          const FileLock lock = store.lock();
          ++opened;
        } catch (const Error& error) {
          if (error.exit() != Exit::busy) failure = error.what();
        }
      });
    }
    for (std::thread& builder : builders) builder.join();
    for (const std::string& failure : failures) CHECK(failure == "");
    CHECK(opened >= 1);
    CHECK_NOTHROW(Store::open(folder));
    CHECK(fs::is_empty(folder / "tmp"));
  }
}

TEST_CASE("a pin says who reads a snapshot until when, is renewed and released") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const std::int64_t before = std::time(nullptr);
  Pin pin(store, 3, "runs/big one", dir / "run"), other(store, 4, "b", dir / "b");
  const std::vector<Pin::Holder> holders = Pin::list(store);
  REQUIRE(holders.size() == 2);
  CHECK(holders[0].generation == 3);
  CHECK(holders[0].run == "runs/big one");
  CHECK(holders[0].folder == (dir / "run").string());
  CHECK_FALSE(holders[0].host.empty());
  CHECK(holders[0].expires >= before + 14 * 24 * 3600);
  CHECK(fs::exists(store.folder() / "pins/3-runs_big_one.json"));
  pin.renew();
  CHECK(Pin::list(store).size() == 2);
  pin.release();
  CHECK(Pin::list(store).size() == 1);
  CHECK_NOTHROW(pin.release());
}

TEST_CASE("a damaged pin is an error: nobody may take it for none") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const Pin pin(store, 3, "r", dir / "run");
  const Flip flip(store.folder() / "pins/3-r.json", 30);
  CHECK_THROWS_WITH_AS(Pin::list(store), doctest::Contains("3-r.json: "), Error);
}
