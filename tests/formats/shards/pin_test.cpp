#include <doctest/doctest.h>

#include <chrono>
#include <ctime>
#include <vector>

#include "flip.h"
#include "letterpress/base/error.h"
#include "letterpress/shards/store.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("a pin says who reads a snapshot until when, and is renewed and released") {
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

TEST_CASE("a damaged pin is an error, not a missing one") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  const Pin pin(store, 3, "r", dir / "run");
  const Flip flip(store.folder() / "pins/3-r.json", 30);
  CHECK_THROWS_WITH_AS(Pin::list(store), doctest::Contains("3-r.json: "), Error);
}

TEST_CASE("what a killed run left of its pin is replaced by its next, and told once it is old") {
  TempDir dir;
  const Store store = Store::create(dir / "store");
  Pin earlier(store, 3, "a", dir / "run");
  const std::string host = Pin::list(store).at(0).host;
  earlier.release();
  const fs::path pins = store.folder() / "pins", left = pins / ("3-a.json." + host + ".unfinished"),
                 other = pins / ("3-b.json." + host + ".unfinished"),
                 of_older_program = pins / "4711-1700000000.123456789-0";
  for (const fs::path& file : {left, other, of_older_program})
    dir.write(fs::relative(file, dir.path()), "{");
  const Pin pin(store, 3, "a", dir / "run");
  CHECK_FALSE(fs::exists(left));
  CHECK(Pin::list(store).size() == 1);
  CHECK(Pin::unfinished(store).empty());
  fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::hours(15 * 24));
  fs::last_write_time(of_older_program, fs::last_write_time(other));
  fs::last_write_time(pins / "3-a.json", fs::last_write_time(other));
  CHECK(Pin::unfinished(store) == std::vector<fs::path>{other, of_older_program});
}
