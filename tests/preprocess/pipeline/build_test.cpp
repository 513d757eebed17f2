#include "preprocess/pipeline/build.h"

#include <doctest/doctest.h>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {

TEST_CASE("a build stores every picture with its views, and says so in both identities") {
  DrawnSet set;
  set.pictures(12);
  BuildOptions options = set.options();
  options.val = "0.3";
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.generation == 1);
  CHECK(report.accounting.pictures_found == 12);
  CHECK(report.accounting.pictures_stored == 12);
  CHECK(report.accounting.boxes_found == 18);
  CHECK(report.accounting.boxes_stored == 18);
  const std::int64_t train = report.pictures_per_split.at("train"),
                     val = report.pictures_per_split.at("val");
  CHECK(train + val == 12);
  CHECK(row_contents(options.store).size() == static_cast<std::size_t>(3 * train + val));
  CHECK(report.rows_new == 3 * train + val);
}

TEST_CASE("a clean row is the letterboxed picture with its boxes in the frame") {
  DrawnSet set;
  set.folder.write("big.png", drawn_png(3, 64, 32));
  set.list("train.txt", "big.png 8,4,40,20,2\n");
  BuildOptions options = set.options();
  options.recipe = "none";
  options.views = 0;
  build_quietly(options);
  const Store store = Store::open(options.store);
  const SnapshotReader reader(store, store.latest().value());
  const ShardReader& shard = reader.shard(0);
  std::vector<std::uint8_t> image(64 * 64 * 3);
  shard.read_images(0, 1, image.data());
  const std::vector<std::uint8_t> drawn = drawn_pixels(3, 64, 32);
  // 64x32 fits a frame of 64 unscaled, 16 pixels of padding above.
  CHECK(std::equal(drawn.begin(), drawn.end(), image.begin() + 16 * 64 * 3));
  CHECK(image[0] == 114);
  CHECK(std::vector<float>(shard.boxes(0).begin(), shard.boxes(0).begin() + 5) ==
        std::vector<float>{8, 20, 40, 36, 2});
  CHECK(shard.spec().classes == std::vector<std::string>{"cat", "dog", "bird"});
  CHECK(shard.name(0) == "big.png");
  const Statistics statistics = reader.snapshot().statistics;
  CHECK(statistics.max_boxes == 8);
  CHECK(statistics.boxes_per_class ==
        std::map<std::string, std::int64_t>{{"bird", 1}, {"cat", 0}, {"dog", 0}});
  CHECK(statistics.anchors.size() == 9);
  CHECK(statistics.anchors[0] == std::array<double, 2>{32, 16});
  CHECK(statistics.box_side_histogram.at(2) == 1);  // sqrt(32 * 16) = 22.6
  double red = 0;
  for (std::size_t i = 0; i < image.size(); i += 3) red += image[i];
  CHECK(statistics.channel_mean[0] == doctest::Approx(red / (64 * 64)));
}

TEST_CASE("1, 2, 7 and 12 threads write the same bytes") {
  DrawnSet set;
  set.pictures(25);
  std::vector<std::set<std::string>> names;
  std::vector<std::string> digests;
  for (const int threads : {1, 2, 7, 12}) {
    BuildOptions options = many_shards(set, "store" + std::to_string(threads));
    options.threads = threads;
    build_quietly(options);
    names.push_back(shard_names(options.store));
    digests.push_back(Store::open(options.store).latest()->logical_digest.hex());
    for (const std::string& name : names.back()) {
      CHECK(file_text(options.store / "shards" / name) ==
            file_text(set.folder / "store1" / "shards" / name));
    }
  }
  CHECK(names[0].size() == 20);  // 6 groups of 4 pictures in 3 shards each, one of 1 picture in 2
  CHECK(names[0] == names[1]);
  CHECK(names[0] == names[2]);
  CHECK(digests[0] == digests[1]);
  CHECK(digests[0] == digests[2]);
}

TEST_CASE("validation has view 0 only, and one shard holds rows of one split and one kind") {
  DrawnSet set;
  set.pictures(6);
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2));
  set.list("val.txt", DrawnSet::line(3) + DrawnSet::line(4) + DrawnSet::line(5));
  BuildOptions options = set.options();
  options.val = (set.folder / "val.txt").string();
  build_quietly(options);
  std::map<std::string, std::set<int>> views;
  for (const auto& [key, content] : row_contents(options.store))
    views[std::get<0>(key)].insert(std::get<2>(key));
  CHECK(views == std::map<std::string, std::set<int>>{{"train", {0, 1, 2}}, {"val", {0}}});
}

TEST_CASE("a dry run reports the same numbers and writes nothing, not even the store's folder") {
  DrawnSet set;
  set.pictures(5);
  BuildOptions options = set.options();
  options.dry_run = true;
  const BuildReport dry = build_quietly(options);
  CHECK_FALSE(std::filesystem::exists(options.store));
  CHECK_FALSE(dry.published);
  options.dry_run = false;
  const BuildReport wet = build_quietly(options);
  CHECK(dry.rows_new == wet.rows_new);
  CHECK(dry.shards_new == wet.shards_new);
  CHECK(dry.accounting == wet.accounting);
}

TEST_CASE("a second builder is told that the store is busy") {
  DrawnSet set;
  set.pictures(3);
  const BuildOptions options = set.options();
  build_quietly(options);
  const FileLock lock = Store::open(options.store).lock();
  CHECK(message_of([&] {
          build_quietly(options);
        }).starts_with("75 " + (options.store / "lock").string()));
}

TEST_CASE("a folder that holds something else is not touched: exit 73") {
  DrawnSet set;
  set.pictures(2);
  BuildOptions options = set.options();
  set.folder.write("store/thesis.tex", "x");
  CHECK(message_of([&] { build_quietly(options); }) ==
        "73 " + options.store.string() +
            ": is neither empty nor a Letterpress store; name a new or empty folder");
}

TEST_CASE("a store of a newer format is refused: exit 78") {
  DrawnSet set;
  set.pictures(2);
  const BuildOptions options = set.options();
  set.folder.write("store/FORMAT", "letterpress store 2\n");
  CHECK(message_of([&] {
          build_quietly(options);
        }).find("store format 2 is newer than this program's 1; update Letterpress") !=
        std::string::npos);
}

}  // namespace letterpress
