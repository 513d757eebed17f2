#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/tools/run_program.h"

namespace letterpress {
namespace {

ProgramResult die_at(const DrawnSet& set, const std::string& store, int n) {
  return run({LETTERPRESS_KILLED_BUILD, (set.folder / store).string(), set.folder.path().string(),
              std::to_string(n)});
}

}  // namespace

TEST_CASE(
    "a build killed at any of its changes to the disk is finished by the next one, with the same "
    "shards; finished ones are used") {
  DrawnSet set;
  set.pictures(6);
  REQUIRE(die_at(set, "clean", 1'000'000).exit_code == 0);
  const std::set<std::string> wanted = shard_names(set.folder / "clean");
  int deaths = 0, most_resumed = 0;
  // Steps grow, so that the start, where the store is made, is tried densely and the many row
  // writes are sampled.
  for (int n = 1;; n += 1 + n / 5) {
    CAPTURE(n);
    std::filesystem::remove_all(set.folder / "store");
    const int exit_code = die_at(set, "store", n).exit_code;
    if (exit_code == 0) break;
    REQUIRE(exit_code == 128 + SIGKILL);
    ++deaths;
    const ProgramResult next = die_at(set, "store", 1'000'000);
    REQUIRE(next.exit_code == 0);
    const int resumed = std::stoi(next.out);
    CHECK((resumed >= 0 && resumed <= 18));
    if (n == 1) CHECK(resumed == 0);
    most_resumed = std::max(most_resumed, resumed);
    CHECK(shard_names(set.folder / "store") == wanted);
    CHECK(Store::open(set.folder / "store").generations() == std::vector<std::int64_t>{1});
    CHECK(std::filesystem::is_empty(set.folder / "store" / "tmp"));
  }
  CHECK(deaths > 10);
  CHECK(most_resumed >= 4);  // a shard's, at the least
}

TEST_CASE(
    "a build killed while it adds pictures leaves the last snapshot whole, and the next one "
    "publishes; twenty times") {
  namespace fs = std::filesystem;
  DrawnSet set;
  set.pictures(9);
  const std::string all = file_text(set.folder / "train.txt");
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2));
  REQUIRE(die_at(set, "first", 1'000'000).exit_code == 0);
  set.list("train.txt", all);
  const auto start = [&](const std::string& store) {
    fs::remove_all(set.folder / store);
    fs::copy(set.folder / "first", set.folder / store, fs::copy_options::recursive);
  };
  start("clean");
  REQUIRE(die_at(set, "clean", 1'000'000).exit_code == 0);
  const auto before = row_contents(set.folder / "first"),
             after = row_contents(set.folder / "clean");
  REQUIRE(after.size() == 27);
  for (int kill = 0; kill < 20; ++kill) {
    CAPTURE(kill);
    start("store");
    CHECK(die_at(set, "store", 3 + 11 * kill).exit_code == 128 + SIGKILL);
    const auto seen = row_contents(set.folder / "store");  // checks every row
    CHECK((seen == before || seen == after));
    CHECK(die_at(set, "store", 1'000'000).exit_code == 0);
    CHECK(row_contents(set.folder / "store") == after);
    CHECK(fs::is_empty(set.folder / "store" / "tmp"));
  }
}

TEST_CASE(
    "a reader that opens the store all along while builds publish sees whole snapshots only, never "
    "an older one again") {
  DrawnSet set;
  set.pictures(6);
  std::string lines = DrawnSet::line(0);
  set.list("train.txt", lines);
  REQUIRE(die_at(set, "store", 1'000'000).exit_code == 0);
  std::size_t last = 3;
  int looks = 0;
  for (int pictures = 2; pictures <= 6; ++pictures) {
    CAPTURE(pictures);
    lines += DrawnSet::line(pictures - 1);
    set.list("train.txt", lines);
    std::atomic<bool> ended{false};
    std::string failure;
    {
      const std::jthread builder([&] {
        if (die_at(set, "store", 1'000'000).exit_code != 0) failure = "the build failed";
        ended = true;
      });
      const std::size_t before = 3 * static_cast<std::size_t>(pictures - 1);
      for (bool one_more = true; one_more; ++looks) {
        one_more = !ended;
        const std::string message = message_of([&] {
          const std::size_t rows = row_contents(set.folder / "store").size();  // checks every row
          CHECK((rows == before || rows == before + 3));
          CHECK(rows >= last);
          last = rows;
        });
        CHECK(message == "no error");
      }
    }
    CHECK(failure.empty());
    CHECK(last == 3 * static_cast<std::size_t>(pictures));
  }
  CHECK(looks > 10);
}

}  // namespace letterpress
