// Parts that are killed, stopped, or meet damage and change.
#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>

#include "letterpress/base/work_folder.h"
#include "tests/preprocess/pipeline/shared_set.h"

namespace letterpress {

namespace fs = std::filesystem;

TEST_CASE(
    "a part removes the unfinished files of one that was killed, not those of one that works") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  const WorkFolder living(plan.parent_path(), "making-");
  const fs::path killed = plan.parent_path() / "making-killed";
  set.folder.write(killed / "lock", "");
  set.folder.write(killed / "half-a-shard", "x");
  map_quietly(plan, 0, 2);
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(plan.parent_path())) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  CHECK(folders == std::vector<fs::path>{living.path()});
}

TEST_CASE(
    "a finished shard that cannot be read is not taken for a damaged one: exit 74, it stays") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 1);
  const std::set<std::string> made = shard_names(set.folder / "store");
  const Hooked failing([](std::string_view operation, std::string_view path) {
    return operation == "read" && path.find("/shards/") != std::string_view::npos ? EIO : 0;
  });
  CHECK(message_of([&] {
          map_quietly(plan, 0, 1);
        }).starts_with("74 " + (set.folder / "store" / "shards").string()));
  CHECK(shard_names(set.folder / "store") == made);
}

TEST_CASE(
    "a stop while finished shards are looked for is a stop, whatever room the rest would need") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 1);
  StopRequest stop;
  const Hooked stopping([&](std::string_view operation, std::string_view path) {
    if (path.ends_with("/0.json")) stop.make(SIGTERM);
    return operation == "statvfs" ? EIO : 0;
  });
  CHECK(map_quietly(plan, 0, 1, stop).stopped_by == SIGTERM);
  stop.make(0);
  BuildListener silent;
  CHECK(build(set.small("store"), silent, stop).stopped_by == SIGTERM);
}

TEST_CASE("stray files beside a plan are not parts") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  map_quietly(plan, 0, 3);
  for (const char* name : {"x.parts", "0.parts", "-2.parts", "99999999999.parts", "7"})
    set.folder.write(plan.parent_path() / name, "");
  CHECK(
      message_of([&] { reduce_quietly(plan); }).ends_with("; run `map` again for --part 1/3, 2/3"));
}

TEST_CASE(
    "a picture that is not as it was planned: map says that only a new plan helps, exit 65, which "
    "nobody retries") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  set.picture("p0.png", 99);
  const std::string message = message_of([&] { map_quietly(plan, 0, 1); });
  CHECK(message.starts_with("65 " + (set.folder / "p0.png").string() +
                            ": has other bytes than when the build was planned"));
  CHECK(message.ends_with("; the plan is out of date: run `letterpress-preprocess plan` again"));
}

TEST_CASE("a picture that the disk does not give: map is exit 74, and the plan stays right") {
  const SharedSet set;
  const fs::path plan = set.planned().plan;
  {
    const Hooked failing([](std::string_view operation, std::string_view path) {
      return operation == "read" && path.ends_with("/p0.png") ? EIO : 0;
    });
    const std::string message = message_of([&] { map_quietly(plan, 0, 1); });
    CHECK(message.starts_with("74 " + (set.folder / "p0.png").string() + ": "));
    CHECK_MESSAGE(
        message.ends_with(", then run again (it could be read when the build was planned)"),
        message);
  }
  map_quietly(plan, 0, 1);
  CHECK(reduce_quietly(plan).generation == 1);
}

TEST_CASE(
    "a shard to copy rows from that is gone since it was planned: map says that only a new plan "
    "helps, which does") {
  const SharedSet set;
  BuildOptions options = set.small("store");
  build_quietly(options);
  options.views = 1;  // half of each augmented shard is dead: they are repacked
  BuildListener silent;
  const fs::path out_of_date = plan(options, silent, kNoStop).plan;
  for (const auto& shard : fs::directory_iterator(options.store / "shards"))
    fs::resize_file(shard, 1000);
  const std::string message = message_of([&] { map_quietly(out_of_date, 0, 1); });
  CHECK(message.starts_with("65 " + (options.store / "shards").string() + "/"));
  CHECK(
      message.ends_with(" (it was whole when the build was planned); the plan is out of date: run "
                        "`letterpress-preprocess plan` again"));
  const fs::path fresh = plan(options, silent, kNoStop).plan;
  map_quietly(fresh, 0, 1);
  CHECK(reduce_quietly(fresh).generation == 2);
  CHECK(row_contents(options.store).size() == 9 * 2);
}

}  // namespace letterpress
