#include "letterpress/shards/store.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

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
  CHECK_FALSE(Store::is_at(dir / "a/store"));
  const Store store = Store::create(dir / "a/store");
  CHECK(Store::is_at(dir / "a/store"));
  CHECK_FALSE(Store::is_at(dir / "a"));
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

TEST_CASE("a store whose builder was killed while making it is finished by the next") {
  TempDir dir;
  for (const char* name : {"plans", "shards", "tmp"}) fs::create_directory(dir / name);
  dir.write("tmp/123-4", "letterpr");
  dir.write("cache/unpacked/set.tar", "x");
  CHECK_NOTHROW(Store::create(dir.path()));
  CHECK_NOTHROW(Store::open(dir.path()));
  CHECK(fs::exists(dir / "cache/unpacked/set.tar"));
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
      doctest::Contains("is not a Letterpress store (it has no file FORMAT); build one with"),
      Error);
  dir.write("cache/theirs", "x");
  fs::remove(dir / "holiday.jpg");
  CHECK_THROWS_AS(Store::create(dir.path()), Error);
  CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("a folder that does not exist is not an input") {
  TempDir dir;
  CHECK_THROWS_WITH_AS(Store::open(dir / "none"),
                       doctest::Contains("none: no such folder; check the path"), Error);
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
            "store/FORMAT: store format 7 is newer than this program's 1; update Letterpress"),
        Error);
    CHECK(exit_of([&] { use(store.folder()); }) == Exit::configuration);
  }
  with_format("something else");
  CHECK_THROWS_WITH_AS(
      Store::open(store.folder()),
      doctest::Contains(
          "FORMAT: says 'something else', must be 'letterpress store 1' and a line's end"),
      Error);
  for (const std::string text :
       {"", "letterpress store 1", "letterpress store 1\t", "letterpress store 01\n"}) {
    CAPTURE(text);
    with_format(text);
    CHECK_THROWS_WITH_AS(Store::open(store.folder()), doctest::Contains("/FORMAT: says '"), Error);
  }
}

TEST_CASE("the lock of a running builder is respected, that of a dead one does not block") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  {
    const OtherProcess builder([&] { return store.lock(); });
    CHECK_THROWS_WITH_AS(
        store.lock(),
        doctest::Contains(
            "lock: another process holds this lock; wait for it to end and try again"),
        Error);
    CHECK(exit_of([&] { const FileLock lock = store.lock(); }) == Exit::busy);
  }
  CHECK_NOTHROW(store.lock());
}

TEST_CASE("taking the lock makes durable what a killed process had given its name") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  std::set<std::string> synced;
  set_fault_hook([&](std::string_view operation, std::string_view path) {
    if (operation == "sync") synced.emplace(path);
    return 0;
  });
  const FileLock lock = store.lock();
  set_fault_hook(nullptr);
  for (const char* name : {"plans", "shards", "snapshots"})
    CHECK(synced.contains(dir / "store" / name));
  CHECK(synced.contains(dir / "store"));
}

TEST_CASE(
    "taking the lock makes the folders that a copy of the store has lost because they were empty") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  for (const char* name : {"plans", "pins", "cache", "tmp"}) fs::remove(dir / "store" / name);
  const FileLock lock = store.lock();
  for (const char* name : {"plans", "pins", "cache", "tmp"})
    CHECK(fs::is_directory(dir / "store" / name));
}

TEST_CASE(
    "taking the lock removes what dead builders left; failing to get it leaves the running one's "
    "files alone") {
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

TEST_CASE(
    "several builders that make one store at the same time make it, open it, or fail because it is "
    "busy") {
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
