#include <doctest/doctest.h>

#include "letterpress/shards/store.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

// Class folders with 3 cats and 2 dogs.
BuildOptions class_folders(DrawnSet& set) {
  for (int i = 0; i < 5; ++i)
    set.picture((i < 3 ? "set/cat/" : "set/dog/") + std::to_string(i) + ".png", i);
  BuildOptions options = set.options_of("set");
  options.recipe = "none";
  options.views = -1;
  options.side = 32;
  return options;
}

std::map<std::string, std::string> labels_by_name(const BuildOptions& options) {
  const Store store = Store::open(options.store);
  const Snapshot snapshot = *store.latest();
  const SnapshotReader reader(store, snapshot);
  std::map<std::string, std::string> labels;
  for (const PictureRows& picture : reader.pictures("train")) {
    const ShardReader& shard = reader.shard(picture.clean.shard);
    labels[std::string(shard.name(picture.clean.row))] =
        snapshot.classes.at(static_cast<std::size_t>(shard.label(picture.clean.row)));
  }
  return labels;
}

}  // namespace

TEST_CASE(
    "class folders become labels; no picture with one is background, and the statistics count "
    "them") {
  DrawnSet set;
  const BuildOptions options = class_folders(set);
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_stored == 5);
  CHECK(report.accounting.pictures_background == 0);
  CHECK(report.accounting.boxes_found == 0);
  CHECK(labels_by_name(options) == std::map<std::string, std::string>{{"cat/0.png", "cat"},
                                                                      {"cat/1.png", "cat"},
                                                                      {"cat/2.png", "cat"},
                                                                      {"dog/3.png", "dog"},
                                                                      {"dog/4.png", "dog"}});
  const Statistics statistics = Store::open(options.store).latest()->statistics;
  CHECK(statistics.pictures_per_class ==
        std::map<std::string, std::int64_t>{{"cat", 3}, {"dog", 2}});
  CHECK(statistics.anchors.empty());
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("a picture moved to another class folder gets the new label, its class ids stay") {
  DrawnSet set;
  const BuildOptions options = class_folders(set);
  build_quietly(options);
  std::filesystem::create_directory(set.folder / "set/ape");
  std::filesystem::rename(set.folder / "set/cat/0.png", set.folder / "set/ape/0.png");
  const BuildReport report = build_quietly(options);
  CHECK(report.pictures_new == 1);
  CHECK(labels_by_name(options).at("ape/0.png") == "ape");
  CHECK(Store::open(options.store).latest()->classes ==
        std::vector<std::string>{"cat", "dog", "ape"});
}

TEST_CASE(
    "the same bytes in two class folders: the first label stays, the other picture is rejected "
    "with both places") {
  DrawnSet set;
  BuildOptions options = class_folders(set);
  options.max_rejects = 1;
  set.picture("set/dog/again.png", 0);
  set.picture("set/cat/twice.png", 0);
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_found == 7);
  CHECK(report.accounting.pictures_duplicate == 1);
  CHECK(report.accounting.pictures_rejected == 1);
  REQUIRE(report.rejects.size() == 1);
  const std::string text = to_string(report.rejects[0]);
  CHECK(text.find("dog/again.png: is labelled 'dog', but has the same bytes as ") !=
        std::string::npos);
  CHECK(text.find("cat/0.png, labelled 'cat'; remove the wrong one") != std::string::npos);
  // The reject is the wrong copy's alone, in later builds too, and goes with it.
  const BuildReport again = build_quietly(options);
  CHECK_FALSE(again.published);
  CHECK(again.accounting.pictures_rejected == 1);
  CHECK(labels_by_name(options).at("cat/0.png") == "cat");
  std::filesystem::remove(set.folder / "set/dog/again.png");
  const BuildReport corrected = build_quietly(options);
  CHECK(corrected.accounting.pictures_stored == 5);
  CHECK(corrected.accounting.pictures_rejected == 0);
  CHECK(labels_by_name(options).at("cat/0.png") == "cat");
}

}  // namespace letterpress
