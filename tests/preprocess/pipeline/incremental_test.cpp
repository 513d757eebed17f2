#include <doctest/doctest.h>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

Snapshot newest(const BuildOptions& options) { return Store::open(options.store).latest().value(); }

// The rows of `options.store` are those of a clean build of the same inputs, pixel by pixel, and
// the digest says so.
void check_like_clean(const DrawnSet& set, const BuildOptions& options) {
  BuildOptions clean = options;
  clean.store = set.folder / "clean";
  clean.refresh_views = clean.rebuild = false;
  std::filesystem::remove_all(clean.store);
  build_quietly(clean);
  CHECK(row_contents(options.store) == row_contents(clean.store));
  CHECK(newest(options).logical_digest == newest(clean).logical_digest);
  CHECK(newest(options).statistics.anchors == newest(clean).statistics.anchors);
  CHECK(newest(options).statistics.box_side_histogram ==
        newest(clean).statistics.box_side_histogram);
  CHECK(newest(options).statistics.channel_mean == newest(clean).statistics.channel_mean);
}

std::string first_lines(int n) {
  std::string lines;
  for (int i = 0; i < n; ++i) lines += DrawnSet::line(i);
  return lines;
}

}  // namespace

TEST_CASE("when nothing has changed, nothing at all is written") {
  DrawnSet set;
  set.pictures(6);
  set.folder.write("bad.png", "text");
  set.list("train.txt", first_lines(6) + "bad.png 1,1,5,5,0\n" + DrawnSet::line(2));
  const BuildOptions options = set.options();
  build_quietly(options);
  const auto before = listing(options.store);
  const BuildReport report = build_quietly(options);
  CHECK(listing(options.store) == before);
  CHECK_FALSE(report.published);
  CHECK(report.generation == 1);
  CHECK(report.rows_new == 0);
  std::filesystem::remove_all(options.store / "cache" / "stat");
  CHECK_FALSE(build_quietly(options).published);
  CHECK(listing(options.store) == before);
}

TEST_CASE("new pictures make new shards; the old ones stay as they are") {
  DrawnSet set;
  set.pictures(9);
  set.list("train.txt", first_lines(6));
  const BuildOptions options = set.options();
  build_quietly(options);
  const std::set<std::string> before = shard_names(options.store);
  set.list("train.txt", first_lines(9));
  const BuildReport report = build_quietly(options);
  CHECK(report.generation == 2);
  CHECK(report.pictures_new == 3);
  CHECK(report.rows_new == 9);
  const std::set<std::string> after = shard_names(options.store);
  CHECK(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  CHECK(newest(options).parent == 1);
  check_like_clean(set, options);
}

TEST_CASE(
    "an edited picture and edited labels make only their own rows anew; the old ones are dead") {
  DrawnSet set;
  set.pictures(8);
  const BuildOptions options = set.options();
  build_quietly(options);
  set.picture("p3.png", 77);
  set.list("train.txt",
           first_lines(5) + "p5.png 1,1,30,30,2\n" + DrawnSet::line(6) + DrawnSet::line(7));
  const BuildReport report = build_quietly(options);
  CHECK(report.pictures_new == 2);
  CHECK(report.pictures_removed == 1);
  std::int64_t dead = 0;
  for (const SnapshotShard& shard : newest(options).shards)
    dead += static_cast<std::int64_t>(shard.dead.size());
  CHECK(dead == 6);
  check_like_clean(set, options);
}

TEST_CASE("a deleted picture leaves dead rows and makes nothing") {
  DrawnSet set;
  set.pictures(8);
  const BuildOptions options = set.options();
  build_quietly(options);
  set.list("train.txt", first_lines(7));
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.rows_new == 0);
  CHECK(report.pictures_removed == 1);
  check_like_clean(set, options);
}

TEST_CASE("a renamed picture makes no rows; the ledger has its new name") {
  DrawnSet set;
  set.pictures(5);
  const BuildOptions options = set.options();
  build_quietly(options);
  const std::set<std::string> before = shard_names(options.store);
  std::filesystem::rename(set.folder / "p4.png", set.folder / "new name.png");
  set.list("train.txt", first_lines(4) + "new name.png 10,10,40,34,1\n");
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.rows_new == 0);
  CHECK(shard_names(options.store) == before);
  CHECK(Store::open(options.store).ledger(2).back().name == "new name.png");
  check_like_clean(set, options);
}

TEST_CASE("a picture that goes to val loses its augmented rows") {
  DrawnSet set;
  set.pictures(6);
  BuildOptions options = set.options();
  build_quietly(options);
  set.list("val.txt", DrawnSet::line(1));
  options.val = (set.folder / "val.txt").string();
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.moved_to_val == 1);
  CHECK(report.moved == SplitMoves{{{"train", "val"}, 1}});
  CHECK(report.rows_new == 1);
  check_like_clean(set, options);
  set.list("val.txt", DrawnSet::line(2));
  CHECK(build_quietly(options).moved == SplitMoves{{{"train", "val"}, 1}, {{"val", "train"}, 1}});
  CHECK(build_quietly(options).moved.empty());
}

TEST_CASE("more views add rows, fewer leave some dead; clean rows stay") {
  DrawnSet set;
  set.pictures(4);
  BuildOptions options = set.options();
  build_quietly(options);
  const std::set<std::string> shards = shard_names(options.store);
  options.views = 4;
  CHECK(build_quietly(options).rows_new == 8);
  const std::set<std::string> more = shard_names(options.store);
  CHECK(std::includes(more.begin(), more.end(), shards.begin(), shards.end()));
  CHECK(more.size() == shards.size() + 1);
  check_like_clean(set, options);
  options.views = 1;
  CHECK(build_quietly(options).rows_new == 0);
  check_like_clean(set, options);
  options.views = 0;
  CHECK(build_quietly(options).rows_new == 0);
  check_like_clean(set, options);
  CHECK(newest(options).shards.size() == 1);
}

TEST_CASE("classes in another order, and a new one, map by name and re-make nothing") {
  DrawnSet set;
  set.pictures(4);
  const BuildOptions options = set.options();
  build_quietly(options);
  set.folder.write("classes.txt", "fish\nbird\ndog\ncat\n");
  // Ids 0 1 2 were cat dog bird and are now 3 2 1.
  set.list("train.txt",
           "p0.png 10,10,40,30,3\np1.png 10,10,40,31,2 50,5,70,50,2\np2.png 10,10,40,32,1\np3.png "
           "10,10,40,33,3 50,5,70,50,2\n");
  const BuildReport report = build_quietly(options);
  CHECK(report.rows_new == 0);
  CHECK(newest(options).classes == std::vector<std::string>{"cat", "dog", "bird", "fish"});
  check_like_clean(set, options);
}

TEST_CASE(
    "--refresh-views draws the augmented rows anew and keeps the clean ones; the next build keeps "
    "the new draw") {
  DrawnSet set;
  set.pictures(4);
  BuildOptions options = set.options();
  build_quietly(options);
  const auto before = row_contents(options.store);
  options.refresh_views = true;
  CHECK(build_quietly(options).rows_new == 8);
  const auto after = row_contents(options.store);
  CHECK(newest(options).identity.draw == 1);
  for (const auto& [key, content] : before)
    CHECK((after.at(key) == content) == (std::get<2>(key) == 0));
  options.refresh_views = false;
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("another size, recipe or seed is refused, and allowed with --rebuild") {
  DrawnSet set;
  set.pictures(3);
  const BuildOptions options = set.options();
  BuildOptions wider = options, other = options, reseeded = options;
  wider.side = 96;
  other.recipe = "none";
  other.views = 0;
  reseeded.seed = 9;
  for (BuildOptions wish : {wider, other, reseeded}) {
    std::filesystem::remove_all(options.store);
    build_quietly(options);
    const auto before = listing(options.store);
    CHECK(message_of([&] {
            build_quietly(wish);
          }).starts_with("78 " + options.store.string() + ": holds "));
    CHECK(listing(options.store) == before);
    wish.rebuild = true;
    const BuildReport report = build_quietly(wish);
    CHECK(report.generation == 2);
    CHECK(report.rows_new == 3 * (1 + wish.views));
    check_like_clean(set, wish);
  }
}

TEST_CASE(
    "more vanished pictures than --max-removed: exit 65, the first one named, nothing published") {
  DrawnSet set;
  set.pictures(20);
  BuildOptions options = set.options();
  build_quietly(options);
  const auto before = listing(options.store);
  options.max_removed = 0.05;
  set.list("train.txt", first_lines(18));
  CHECK(message_of([&] { build_quietly(options); }) ==
        "65 2 of the 20 pictures of snapshot 1 are gone (10%), the first is " +
            (set.folder / "p18.png").string() +
            "; --max-removed allows 5%; nothing was published; is a disk not mounted? To accept "
            "this, pass --max-removed 100%");
  CHECK(listing(options.store) == before);
  // Where they were rejected, that is why.
  set.list("train.txt", first_lines(18) + "p18.png 1,1,9\np19.png 1,1,9\n");
  const std::string broken = message_of([&] { build_quietly(options); });
  CHECK(broken.find("2 of the 20 pictures") != std::string::npos);
  CHECK(broken.find("nothing was published; 2 were rejected this time, the first: ") !=
        std::string::npos);
  CHECK(broken.find("not mounted") == std::string::npos);
  set.list("train.txt", first_lines(19));
  CHECK(build_quietly(options).published);
}

TEST_CASE(
    "a labels folder that is gone leaves pictures without boxes: more of them than --max-removed "
    "is exit 65") {
  DrawnSet set;
  for (int i = 0; i < 10; ++i) {
    set.picture("images/" + std::to_string(i) + ".png", i);
    if (i > 0) set.folder.write("labels/" + std::to_string(i) + ".txt", "0 0.5 0.5 0.2 0.2\n");
  }
  set.folder.write("data.yaml", "train: images\nnames: [cat]\n");
  BuildOptions options = set.options_of("data.yaml");
  CHECK(build_quietly(options).accounting.pictures_background == 1);
  const auto before = listing(options.store);
  std::filesystem::rename(set.folder / "labels", set.folder / "unmounted");
  set.folder.write("labels/9.txt", "0 0.5 0.5 0.2 0.2\n");
  options.max_removed = 0.05;
  CHECK(
      message_of([&] { build_quietly(options); }) ==
      "65 8 of the 9 labelled pictures of snapshot 1 have no box any more (88.9%), the first is " +
          (set.folder / "images/1.png").string() +
          "; --max-removed allows 5%; nothing was published; is the disk of the labels not "
          "mounted? To accept this, pass --max-removed 100%");
  CHECK(listing(options.store) == before);
  options.max_removed = 1;
  CHECK(build_quietly(options).accounting.pictures_background == 9);
}

TEST_CASE("pictures edited in place have not vanished, whatever --max-removed says") {
  DrawnSet set;
  set.pictures(4);
  BuildOptions options = set.options();
  build_quietly(options);
  for (int i = 0; i < 4; ++i) set.picture("p" + std::to_string(i) + ".png", 50 + i);
  options.max_removed = 0;
  CHECK(build_quietly(options).published);
  check_like_clean(set, options);
}

TEST_CASE("an empty mount at night: every picture missing is exit 65, and the store stands") {
  DrawnSet set;
  set.pictures(5);
  BuildOptions options = set.options();
  build_quietly(options);
  for (int i = 0; i < 5; ++i)
    std::filesystem::remove(set.folder / ("p" + std::to_string(i) + ".png"));
  options.max_rejects = 0.01;
  options.max_removed = 0.05;
  CHECK(message_of([&] {
          build_quietly(options);
        }).starts_with("65 5 of the 5 pictures of snapshot 1 are gone (100%)"));
  CHECK(row_contents(options.store).size() == 15);
}

}  // namespace letterpress
