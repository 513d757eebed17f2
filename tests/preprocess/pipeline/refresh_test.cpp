#include "preprocess/pipeline/refresh.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "letterpress/base/file.h"
#include "preprocess/pipeline/build.h"
#include "preprocess/plan/plan_folder.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/stop_at.h"

namespace letterpress {
namespace {

using Generations = std::vector<std::int64_t>;

// A store of four pictures with two views.
struct Refreshable {
  DrawnSet set;
  BuildOptions options = set.options();
  Refreshable() {
    set.pictures(4);
    build_quietly(options);
  }
  Store store() const { return Store::open(options.store); }
};

}  // namespace

TEST_CASE("--redraw-views draws the views in turn, each time anew, and no other row") {
  DrawnSet set;
  set.pictures(4);
  BuildOptions options = set.options();  // two views
  build_quietly(options);
  options.redraw_views = 1;
  auto before = row_contents(options.store);
  for (const int view : {1, 2, 1}) {
    CHECK(build_quietly(options).rows_new == 4);
    const auto after = row_contents(options.store);
    for (const auto& [key, content] : before)
      CHECK((after.at(key) == content) == (std::get<2>(key) != view));
    before = after;
  }
  CHECK(Store::open(options.store).latest()->identity.redrawn == std::vector<std::uint64_t>{2, 1});
  options.redraw_views = 0;
  CHECK_FALSE(build_quietly(options).published);
  options.refresh_views = true;
  CHECK(build_quietly(options).rows_new == 8);
  CHECK(Store::open(options.store).latest()->identity.redrawn.empty());
}

TEST_CASE("a picture counts once, also where its views that are drawn anew are not neighbours") {
  DrawnSet set;
  set.pictures(4);
  BuildOptions options = set.options();
  options.views = 3;
  build_quietly(options);
  options.redraw_views = 1;
  build_quietly(options);
  build_quietly(options);
  options.redraw_views = 2;  // the third, never drawn anew, and the first
  const BuildReport report = build_quietly(options);
  CHECK(Store::open(options.store).latest()->identity.redrawn ==
        std::vector<std::uint64_t>{2, 1, 1});
  CHECK(report.rows_new == 8);
  CHECK(report.pictures_new == 4);
}

TEST_CASE("a refresh draws the oldest view anew; snapshots that nobody reads any more go") {
  const Refreshable made;
  const Store store = made.store();
  const std::filesystem::path unpacked = store.folder() / "cache/unpacked";
  std::filesystem::create_directories(unpacked);
  replace_file(unpacked / "set.tar", "of which every round reads");
  Refreshed round = refresh(made.options, 1, kNoStop);
  CHECK(round.generation == 2);
  CHECK(std::filesystem::exists(unpacked / "set.tar"));
  CHECK(round.views == std::vector<int>{1});
  CHECK(round.rows == 4);
  CHECK(round.removed == Generations{1});
  round = refresh(made.options, 1, kNoStop);
  CHECK(round.views == std::vector<int>{2});
  CHECK(round.removed == Generations{2});
  CHECK(round.bytes > 0);
  CHECK(store.generations() == Generations{3});
  CHECK(shard_names(store.folder()).size() == store.latest()->shards.size());
  CHECK(refresh(made.options, 2, kNoStop).views == std::vector<int>{1, 2});
}

TEST_CASE("a refresh keeps what a run has pinned, and snapshots of other pictures") {
  Refreshable made;
  const Store store = made.store();
  Pin pin(store, 1, "run", made.set.folder / "run");
  CHECK(refresh(made.options, 1, kNoStop).removed.empty());
  CHECK(refresh(made.options, 1, kNoStop).removed == Generations{2});
  pin.release();
  CHECK(refresh(made.options, 1, kNoStop).removed == Generations{1, 3});
  made.set.picture("p4.png", 4);
  made.set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(4));
  BuildOptions smaller = made.options;
  smaller.max_removed = 1;
  const Refreshed round = refresh(smaller, 1, kNoStop);
  CHECK(round.views == std::vector<int>{2});
  CHECK(round.removed.empty());
  CHECK(store.generations() == Generations{4, 5});
}

TEST_CASE("a followed refresh draws once whenever a run has taken up the newest snapshot") {
  const Refreshable made;
  const Store store = made.store();
  std::optional<Pin> pin(std::in_place, store, 1, "run", made.set.folder / "run");
  StopRequest stop;
  Generations published;
  const auto take_up = [&](const Refreshed& round) {
    published.push_back(round.generation);
    if (published.size() == 3) stop.make(SIGTERM);
    Pin next(store, round.generation, "run", made.set.folder / "run");
    pin->release();
    pin = std::move(next);
  };
  refresh_for_runs(
      made.options.store, [&] { return made.options; }, 1,
      {take_up, [](const Error& error) { FAIL(error.what()); }, {}}, stop);
  CHECK(published == Generations{2, 3, 4});
  CHECK(store.generations() == Generations{3, 4});  // the run read 3 while 4 was drawn
}

TEST_CASE("each round of a followed refresh is the build that came before it") {
  const Refreshable made;
  const Store store = made.store();
  const Pin pin(store, 1, "run", made.set.folder / "run");
  StopRequest stop;
  BuildOptions options = made.options;
  const auto more_views = [&](const Refreshed&) {
    if (store.latest()->views == 4) return (void)stop.make(SIGTERM);
    options.views = 4;
    build_quietly(options);
    const Pin next(store, store.generations().back(), "run", made.set.folder / "run");
  };
  refresh_for_runs(
      made.options.store, [&] { return options; }, 1, {more_views, {}, {}}, stop);
  CHECK(store.latest()->views == 4);
  CHECK(store.latest()->identity.redrawn == std::vector<std::uint64_t>{1, 1, 1, 1});
}

TEST_CASE("a plan of `plan` may have parts at work, one of a build that was stopped has none") {
  Refreshable made;
  const Store store = made.store();
  const auto planned = [&] { return plan_for_parts(store, store.generations().back()); };
  CHECK_FALSE(planned());
  made.set.pictures(20);
  const auto stop_a_build = [&] {
    StopAt stopping(1);
    CHECK(build(made.options, stopping, stopping.stop).stopped_by == SIGTERM);
  };
  stop_a_build();
  CHECK(store.plan_folders().size() == 1);
  CHECK_FALSE(planned());
  BuildListener silent;
  const auto file = plan(made.options, silent, kNoStop).plan;
  CHECK(planned() == file.parent_path());
  stop_a_build();
  CHECK(planned() == file.parent_path());  // its parts may go on
}

TEST_CASE("a followed refresh tells once which plan it waits for, and goes on when that is gone") {
  Refreshable made;
  const Store store = made.store();
  const Pin pin(store, 1, "run", made.set.folder / "run");
  made.set.pictures(20);
  BuildListener silent;
  const auto file = plan(made.options, silent, kNoStop).plan;
  StopRequest stop;
  int waited = 0;
  std::jthread going;
  const auto give_up = [&](const std::filesystem::path& folder) {
    ++waited;
    CHECK(folder == file.parent_path());
    // Looked at several times before that.
    going = std::jthread([=] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      std::filesystem::remove_all(folder);
    });
  };
  const auto end = [&](const Refreshed&) { stop.make(SIGTERM); };
  const auto fail = [](const Error& error) { FAIL(error.what()); };
  refresh_for_runs(
      made.options.store, [&] { return made.options; }, 1, {end, fail, give_up}, stop);
  CHECK(waited == 1);
  CHECK(store.generations().back() == 2);
}

TEST_CASE("what the last build rejected is rejected again, whatever gate let it pass") {
  DrawnSet set;
  set.pictures(4);
  set.folder.write("bad.png", "text");
  set.list("train.txt",
           DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2) + "bad.png 1,1,5,5,0\n");
  BuildOptions options = set.options();
  options.max_rejects = 0.5;
  build_quietly(options);
  options.max_rejects = BuildOptions{}.max_rejects;
  CHECK(refresh(options, 1, kNoStop).views == std::vector<int>{1});
}

TEST_CASE("a store without views, or without a snapshot, cannot be refreshed") {
  Refreshable made;
  made.options.views = 0;
  build_quietly(made.options);
  const std::string store = made.options.store.string();
  CHECK(message_of([&] { refresh(made.options, 1, kNoStop); }) ==
        "78 " + store +
            ": has no augmented views; `letterpress-preprocess build --store S --views 4` makes "
            "some");
  made.options.store = made.set.folder / "empty";
  Store::create(made.options.store);
  CHECK(message_of([&] { refresh(made.options, 1, kNoStop); }) ==
        "78 " + made.options.store.string() +
            ": has no snapshot yet; `letterpress-preprocess build` makes one");
}

}  // namespace letterpress
