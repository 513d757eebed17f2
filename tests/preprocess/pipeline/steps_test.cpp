#include "preprocess/pipeline/steps.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <fstream>
#include <thread>
#include <utility>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/formats/shards/flip.h"
#include "tests/preprocess/heard_notes.h"
#include "tests/preprocess/pipeline/shared_set.h"
#include "tests/preprocess/published_files.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

const std::string kGone =
    ": there is no such plan; is it published already (`letterpress-preprocess info`)? else plan "
    "again";

void check_like_single(const SharedSet& set) {
  CHECK(published_files(set.folder / "store") == published_files(set.folder / "single"));
  const auto rejects = [&](const char* store) {
    const std::string text = file_text(set.folder / store / "quarantine.jsonl");
    return text.substr(text.find("\"generation\""));
  };
  CHECK(rejects("store") == rejects("single"));
  CHECK(fs::is_empty(set.folder / "store" / "plans"));
  CHECK(fs::is_empty(set.folder / "store" / "tmp"));
}

}  // namespace

TEST_CASE("plan, map in any number of parts in any order, reduce: the same bytes as one build") {
  const SharedSet set;
  for (const int n : {1, 2, 3, 7}) {
    CAPTURE(n);
    fs::remove_all(set.folder / "store");
    const BuildReport planned = set.planned();
    CHECK(planned.groups > 1);
    std::int64_t shards = 0;
    for (int i = n; i-- > 0;) shards += map_quietly(planned.plan, i, n).shards;
    CHECK(shards == planned.shards_new);
    CHECK(reduce_quietly(planned.plan).published);
    check_like_single(set);
  }
}

TEST_CASE(
    "a repeated part, one at the same time as the first, and one of another cut change nothing") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  std::thread twin([&] { map_quietly(plan, 0, 2); });
  map_quietly(plan, 0, 2);
  twin.join();
  const MapReport again = map_quietly(plan, 0, 2);
  CHECK(again.resumed == again.shards);
  map_quietly(plan, 1, 3);
  map_quietly(plan, 1, 2);
  CHECK(reduce_quietly(plan).published);
  check_like_single(set);
}

TEST_CASE(
    "reduce without a part publishes nothing and names the part; it is made, and all is well") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 3);
  map_quietly(plan, 2, 3);
  const std::string message = message_of([&] { reduce_quietly(plan); });
  CHECK(message.starts_with("75 " + plan.parent_path().string() + ": of "));
  CHECK(message.find("shards these are not finished: ") != std::string::npos);
  CHECK(message.ends_with("; run `map` again for --part 1/3"));
  CHECK(Store::open(set.folder / "store").generations().empty());
  // Who cuts it anew is told of these parts alone.
  map_quietly(plan, 0, 2);
  CHECK(message_of([&] { reduce_quietly(plan); }).ends_with("; run `map` again for --part 1/2"));
  map_quietly(plan, 0, 3);
  CHECK(message_of([&] { reduce_quietly(plan); }).ends_with("; run `map` again for --part 1/3"));
  map_quietly(plan, 1, 3);
  CHECK(reduce_quietly(plan).published);
  check_like_single(set);
}

TEST_CASE("a shard that is gone after it was made: reduce names its part, which makes it again") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 1);
  const fs::path shard =
      set.folder / "store" / "shards" / *shard_names(set.folder / "store").begin();
  fs::remove(shard);
  const std::string message = message_of([&] { reduce_quietly(plan); });
  CHECK(message.starts_with("75 " + plan.parent_path().string() + ": of "));
  CHECK(message.ends_with("; run `map` again for --part 0/1"));
  const MapReport again = map_quietly(plan, 0, 1);
  CHECK(again.resumed == again.shards - 1);
  CHECK(reduce_quietly(plan).published);
  check_like_single(set);
}

TEST_CASE("the plan of another version of the program is refused: exit 78") {
  const SharedSet set;
  const fs::path file = set.planned().plan;
  Plan plan = read_plan(file);
  plan.snapshot.producer = "letterpress 0.0.1 (OpenCV 1)";
  const fs::path folder = file.parent_path().parent_path() / plan_digest(plan).hex();
  fs::copy(file.parent_path(), folder);
  fs::remove(folder / "plan.h5");
  write_plan(folder / "plan.h5", plan);
  const std::string message = message_of([&] { map_quietly(folder / "plan.h5", 0, 1); });
  CHECK(message.starts_with(
      "78 " + (folder / "plan.h5").string() +
      ": was planned by 'letterpress 0.0.1 (OpenCV 1)', this is 'letterpress "));
  CHECK(
      message.find("run the same program with the same libraries on all machines, or plan again") !=
      std::string::npos);
}

TEST_CASE("a changed bit anywhere in a plan's file is found; planning again fixes it") {
  SharedSet set;
  const fs::path plan = set.planned().plan;
  const auto size = static_cast<std::int64_t>(fs::file_size(plan));
  for (std::int64_t at = 0; at < size; at += 101) {
    CAPTURE(at);
    const Flip flip(plan, at, 1 << at % 8);
    CHECK(message_of([&] { map_quietly(plan, 0, 1); }) != "no error");
  }
  {
    const std::string whole = file_text(plan);
    fs::permissions(plan, fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(plan, std::ios::binary) << whole.substr(0, whole.size() / 2);
    CHECK(set.planned().plan == plan);
    CHECK(file_text(plan) == whole);
  }
  map_quietly(plan, 0, 1);
  CHECK(reduce_quietly(plan).published);
  check_like_single(set);
}

TEST_CASE("a plan that is published, moved or overtaken says so") {
  SharedSet set;
  const fs::path plan = set.planned().plan;
  fs::create_directory(set.folder / "moved");
  fs::copy(plan, set.folder / "moved" / "plan.h5");
  CHECK(message_of([&] {
          map_quietly(set.folder / "moved", 0, 1);
        }).find("is not where `plan` wrote it") != std::string::npos);
  map_quietly(plan, 0, 1);
  fs::copy(plan.parent_path(), set.folder / "kept");
  CHECK(reduce_quietly(plan.parent_path()).published);
  CHECK(message_of([&] { reduce_quietly(plan); }) == "66 " + plan.string() + kGone);
  CHECK(message_of([&] { map_quietly(plan, 0, 1); }) == "66 " + plan.string() + kGone);
  // As after a reduce that was killed between the snapshot and the removal of its plan.
  fs::copy(set.folder / "kept", plan.parent_path());
  CHECK_FALSE(reduce_quietly(plan).published);
  check_like_single(set);
  fs::copy(set.folder / "kept", plan.parent_path());
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1));
  build_quietly(set.small("store"));
  // A build removes what nobody can publish any more.
  CHECK(message_of([&] { reduce_quietly(plan); }) == "66 " + plan.string() + kGone);
  fs::copy(set.folder / "kept", plan.parent_path());
  CHECK(message_of([&] { reduce_quietly(plan); }) ==
        "75 " + plan.parent_path().string() +
            ": was planned after snapshot 0, the newest is 2 by now; plan again");
}

TEST_CASE(
    "a reduce that is killed while it removes its plan has published: the next one is not an "
    "error, or says so") {
  const SharedSet set;
  for (int kill = 1; kill <= 3; ++kill) {
    CAPTURE(kill);
    fs::remove_all(set.folder / "store");
    const fs::path plan = set.planned().plan;
    map_quietly(plan, 0, 1);
    {
      int removals = 0;
      const Hooked dying([&](std::string_view operation, std::string_view path) {
        const bool removes = (operation == "unlink" || operation == "rmdir") &&
                             path.find("/plans/") != std::string_view::npos;
        return removes && ++removals >= kill ? EIO : 0;
      });
      CHECK(reduce_quietly(plan).published);
    }
    const std::string message = message_of([&] {
      const BuildReport again = reduce_quietly(plan);
      CHECK_FALSE(again.published);
    });
    CHECK((message == "no error" || message == "66 " + plan.string() + kGone));
  }
}

TEST_CASE(
    "two runs of reduce at the same time: the one that comes second is told that the plan is "
    "published") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 1);
  bool overtaken = false;
  const Hooked overtaking([&](std::string_view operation, std::string_view path) {
    if (operation == "lock" && path.ends_with("/store/lock") && !std::exchange(overtaken, true))
      CHECK(reduce_quietly(plan).published);
    return 0;
  });
  CHECK(message_of([&] { reduce_quietly(plan); }) == "66 " + plan.string() + kGone);
  CHECK(overtaken);
}

TEST_CASE("when nothing has changed there is no plan") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 1);
  reduce_quietly(plan);
  const BuildReport again = set.planned();
  CHECK(again.plan.empty());
  CHECK_FALSE(again.published);
}

TEST_CASE("a build tells which plan it made useless for others, and goes on with one that fits") {
  DrawnSet set;
  BuildOptions options = set.options();
  set.pictures(4);
  BuildListener silent;
  CHECK(plan(options, silent, kNoStop).plan.string() != "");
  CHECK(notes_of_build(options).find("is removed") == std::string::npos);
  set.pictures(6);
  const fs::path lost = plan(options, silent, kNoStop).plan.parent_path();
  set.pictures(8);
  CHECK_CONTAINS(notes_of_build(options), "plan " + lost.filename().string() +
                                              " is removed: its snapshot would be 2, too, which "
                                              "is published now; where its parts are needed, plan "
                                              "again");
  CHECK_FALSE(fs::exists(lost));
}

}  // namespace letterpress
