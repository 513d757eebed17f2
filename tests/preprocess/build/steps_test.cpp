#include "preprocess/build/steps.h"

#include <doctest/doctest.h>

#include <thread>

#include "letterpress/base/file.h"
#include "tests/preprocess/build/drawn_set.h"
#include "tests/preprocess/build/published_files.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// A set with a bad picture and several groups of shards; built at once into "single".
struct SharedSet : DrawnSet {
  SharedSet() {
    pictures(9);
    folder.write("bad.png", "text");
    list("train.txt", file_text(folder / "train.txt") + "bad.png 1,1,5,5,0\n");
    build_quietly(small("single"));
  }
  BuildOptions small(const std::string& store) const {
    BuildOptions small = options(store);
    small.shard_bytes = 4 * 64 * 64 * 3;
    return small;
  }
  BuildReport planned() const {
    BuildListener silent;
    return plan(small("store"), silent);
  }
};

MapReport map_quietly(const fs::path& plan, int index, int n) {
  BuildListener silent;
  return map_part(plan, {index, n, "test"}, 1, silent);
}
BuildReport reduce_quietly(const fs::path& plan) {
  BuildListener silent;
  return reduce_plan(plan, silent);
}

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

TEST_CASE("a repeated part, one at the same time as the first, and one of another cut change nothing") {
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

TEST_CASE("reduce without a part publishes nothing and names the part; it is made, and all is well") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 3);
  map_quietly(plan, 2, 3);
  const std::string message = message_of([&] { reduce_quietly(plan); });
  CHECK(message.starts_with("75 " + plan.parent_path().string() + ": of "));
  CHECK(message.find("shards these are not finished: ") != std::string::npos);
  CHECK(message.ends_with("; run `map` again for --part 1/3"));
  CHECK(Store::open(set.folder / "store").generations().empty());
  map_quietly(plan, 1, 3);
  CHECK(reduce_quietly(plan).published);
  check_like_single(set);
}

TEST_CASE("a shard that was damaged after it was made is found by its part, which makes it again") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 1);
  const fs::path shard = set.folder / "store" / "shards" / *shard_names(set.folder / "store").begin();
  fs::remove(shard);
  CHECK(message_of([&] { reduce_quietly(plan); }).starts_with("65 " + shard.string() + ": missing"));
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
  CHECK(message.starts_with("78 " + (folder / "plan.h5").string() +
                            ": was planned by 'letterpress 0.0.1 (OpenCV 1)', this is 'letterpress "));
  CHECK(message.find("run the same program with the same libraries on all machines, or plan again") != std::string::npos);
}

TEST_CASE("a plan that is published, moved or overtaken says so") {
  SharedSet set;
  const fs::path plan = set.planned().plan;
  fs::create_directory(set.folder / "moved");
  fs::copy(plan, set.folder / "moved" / "plan.h5");
  CHECK(message_of([&] { map_quietly(set.folder / "moved", 0, 1); }).find("lies not where `plan` wrote it") != std::string::npos);
  map_quietly(plan, 0, 1);
  fs::copy(plan.parent_path(), set.folder / "kept");
  CHECK(reduce_quietly(plan.parent_path()).published);
  const std::string gone = ": there is no such plan; is it published already (`letterpress-preprocess info`)? else plan again";
  CHECK(message_of([&] { reduce_quietly(plan); }) == "66 " + plan.string() + gone);
  CHECK(message_of([&] { map_quietly(plan, 0, 1); }) == "66 " + plan.string() + gone);
  // As after a reduce that was killed between the snapshot and the removal of its plan.
  fs::copy(set.folder / "kept", plan.parent_path());
  CHECK_FALSE(reduce_quietly(plan).published);
  check_like_single(set);
  fs::copy(set.folder / "kept", plan.parent_path());
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1));
  build_quietly(set.small("store"));
  CHECK(message_of([&] { reduce_quietly(plan); }) ==
        "75 " + plan.parent_path().string() + ": was planned after snapshot 0, the newest is 2 by now; plan again");
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

}  // namespace letterpress
