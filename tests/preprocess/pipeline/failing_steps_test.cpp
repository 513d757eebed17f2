// Whichever call to the disk fails, in whatever the program does to a store or makes of it.
#include <doctest/doctest.h>

#include <algorithm>

#include "preprocess/pipeline/steps.h"
#include "preprocess/pipeline/threads.h"
#include "preprocess/unpack/unpack.h"
#include "preprocess/upkeep/garbage.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/pipeline/failing_calls.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// Six pictures in snapshot 1; train.txt lists some of them and another one by now. root/ is what
// the work may change.
struct ChangedSet : DrawnSet {
  explicit ChangedSet(Compression wanted = Compression::none) : compression(wanted) {
    pictures(7);
    list("train.txt", line(0) + line(1) + line(2) + line(3) + line(4) + line(5));
    BuildOptions first = small();
    first.store = folder / "first";
    build_quietly(first);
    list("train.txt", line(0) + line(3) + line(6));
  }
  BuildOptions small() const {
    BuildOptions small = options("root/store");
    small.side = 32;
    small.recipe = "none";
    small.views = 0;
    small.threads = 1;
    small.shard_bytes = 4 * 32 * 32 * 3;
    small.compression = compression;
    return small;
  }
  fs::path root() const { return folder / "root"; }
  fs::path store() const { return root() / "store"; }
  void prepare() const {
    fs::remove_all(root());
    fs::create_directory(root());
    fs::copy(folder / "first", store(), fs::copy_options::recursive);
  }
  // The newest snapshot's rows, each checked.
  std::string seen() const { return row_text(store()); }
  DiskWork work(std::function<void()> run) const {
    return {.root = root(),
            .prepare = [this] { prepare(); },
            .run = std::move(run),
            .seen = [this] { return seen(); }};
  }

  Compression compression;
};

bool build_goes_on(const std::string& call) {
  const std::size_t store = call.find(" store/");
  const std::string inside =
      store == std::string::npos ? call : call.substr(0, store + 1) + call.substr(store + 7);
  return is_dispensable(inside) || is_healed(inside);
}

bool among(const std::set<std::string>& calls, const std::string& start) {
  return std::ranges::any_of(calls,
                             [&](const std::string& call) { return call.starts_with(start); });
}

}  // namespace

TEST_CASE(
    "whichever call fails in a build that repacks: the old snapshot or the new one, and the next "
    "build succeeds") {
  const ChangedSet set;
  std::int64_t copied = 0;
  DiskWork work =
      set.work([&] { copied = std::max(copied, build_quietly(set.small()).rows_copied); });
  work.goes_on = build_goes_on;
  work.check_done = [&](const std::string&) { CHECK(fs::is_empty(set.store() / "tmp")); };
  const std::set<std::string> calls = fail_each_call(work);
  CHECK(copied == 2);
  for (const char* call : {"read store/shards/", "write store/tmp/", "sync store/tmp/",
                           "link store/shards/", "link store/snapshots/"}) {
    CAPTURE(call);
    CHECK(among(calls, call));
  }
}

TEST_CASE(
    "whichever call fails in a build that compresses: the old snapshot or the new one, and the "
    "next build succeeds") {
  const ChangedSet set(Compression::deflate);
  DiskWork work = set.work([&] { build_quietly(set.small()); });
  work.goes_on = build_goes_on;
  fail_each_call(work);
}

TEST_CASE(
    "whichever call fails in plan, map or reduce: the old snapshot or the new one, and the same "
    "three succeed then") {
  const ChangedSet set;
  DiskWork work = set.work([&] {
    BuildListener silent;
    const BuildReport planned = plan(set.small(), silent, kNoStop);
    if (planned.plan.empty()) return;
    for (const int part : {0, 1}) map_part({planned.plan, {part, 2, "test"}, 1, kNoStop}, silent);
    reduce_plan(planned.plan, silent);
  });
  work.goes_on = build_goes_on;
  work.check_done = [&](const std::string&) { CHECK(fs::is_empty(set.store() / "tmp")); };
  const std::set<std::string> calls = fail_each_call(work);
  const std::string plans = " store/plans/";
  for (const char* operation : {"mkdir", "lock", "rename", "write", "sync", "link", "rmdir"}) {
    CAPTURE(operation);
    CHECK(among(calls, operation + plans));
  }
}

TEST_CASE(
    "whichever call fails in gc: the newest snapshot stands whole, and the next gc removes what is "
    "left") {
  const ChangedSet set;
  const BuildOptions options = set.small();
  set.prepare();
  build_quietly(options);
  const fs::path two = set.folder / "two";
  fs::rename(set.store(), two);
  DiskWork work = set.work([&] {
    collect_garbage(Store::open(set.store()), {.keep = 1, .older_than = std::chrono::days(1)});
  });
  work.prepare = [&] {
    fs::remove_all(set.store());
    fs::copy(two, set.store(), fs::copy_options::recursive);
    for (const auto& entry : fs::directory_iterator(set.store() / "snapshots")) {
      fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::days(30));
    }
  };
  // What goes need not be readable.
  work.goes_on = [](const std::string& call) {
    return call == "open store/snapshots/00000001.json" ||
           call == "read store/snapshots/00000001.json";
  };
  work.check_done = [&](const std::string&) {
    const Store store = Store::open(set.store());
    CHECK(store.generations() == std::vector<std::int64_t>{2});
    CHECK(shard_names(set.store()).size() == store.latest()->shards.size());
  };
  const std::set<std::string> calls = fail_each_call(work);
  CHECK(among(calls, "unlink store/snapshots/"));
  CHECK(among(calls, "unlink store/shards/"));
}

TEST_CASE(
    "whichever call fails in unpack: the folder is there whole or not at all, nothing else is "
    "left, and it can be run again") {
  const ChangedSet set;
  const fs::path out = set.root() / "out";
  const auto unpack_it = [&] {
    const Store store = Store::open(set.store());
    const SnapshotReader reader(store, store.latest().value());
    BuildListener silent;
    with_threads(1, [&] {
      return unpack(store, reader, {.out = out, .to = "coco", .split = ""}, silent, kNoStop);
    });
  };
  DiskWork work = set.work([&] {
    if (!fs::exists(out)) unpack_it();
  });
  work.seen = [&] {
    CHECK_FALSE(fs::exists(out.string() + ".unfinished"));
    std::string text = set.seen();
    if (!fs::exists(out)) return text;
    std::set<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(out)) files.insert(entry.path());
    for (const fs::path& file : files)
      text += file.string() + "\n" + (fs::is_directory(file) ? "" : file_text(file));
    return text;
  };
  const std::set<std::string> calls = fail_each_call(work);
  for (const char* call :
       {"mkdir out.unfinished", "write out.unfinished/", "sync out.unfinished", "rename out"}) {
    CAPTURE(call);
    CHECK(among(calls, call));
  }
}

TEST_CASE(
    "whichever call fails while a snapshot is pinned, renewed and released: the store stands, and "
    "it can be done again") {
  const ChangedSet set;
  DiskWork work = set.work([&] {
    Pin pin(Store::open(set.store()), 1, "run", set.folder / "run");
    pin.renew();
    pin.release();
  });
  work.check_done = [&](const std::string&) { CHECK(fs::is_empty(set.store() / "pins")); };
  const std::set<std::string> calls = fail_each_call(work);
  CHECK(among(calls, "rename store/pins/"));
  CHECK(among(calls, "unlink store/pins/"));
}

}  // namespace letterpress
