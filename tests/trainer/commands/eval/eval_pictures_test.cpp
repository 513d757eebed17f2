#include "trainer/commands/eval/eval_pictures.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"

using namespace letterpress;

namespace {

/// A drawn store of three val pictures.
struct OpenStore {
  TempDir dir;
  Store store;
  SnapshotReader reader;
  std::vector<PictureRows> pictures;
  explicit OpenStore(std::map<std::string, std::int64_t> category_ids = {})
      : store(made(dir)), reader(store, with(category_ids)) {
    pictures = reader.pictures("val");
  }
  /// Entries as the labels of a COCO set give them.
  std::vector<LedgerEntry> ledger(const std::vector<std::int64_t>& ids) const {
    std::vector<LedgerEntry> entries;
    for (std::size_t i = 0; i < pictures.size(); ++i)
      entries.push_back(
          {.path = "/set/images/p" + std::to_string(i) + ".jpg",
           .name = "images/p" + std::to_string(i) + ".jpg",
           .split = "val",
           .image_id = ids.at(i),
           .rows = {{.shard = pictures[i].clean.shard, .row = pictures[i].clean.row}}});
    entries.push_back({.name = "images/twin.jpg",
                       .split = "val",
                       .state = InputState::duplicate,
                       .image_id = 77});
    return entries;
  }

 private:
  static Store made(const TempDir& dir) {
    DrawnStore{.train = 1, .val = 3}.publish(dir / "store");
    return Store::open(dir / "store");
  }
  Snapshot with(const std::map<std::string, std::int64_t>& category_ids) const {
    Snapshot snapshot = *store.latest();
    snapshot.category_ids = category_ids;
    return snapshot;
  }
};

CocoGroundTruth small_ground_truth() {
  return {.images = {{5, "x/a.jpg"}, {6, "y/a.jpg"}, {7, "x/b.jpg"}},
          .categories = {{17, "cat"}, {90, "toothbrush"}}};
}
CocoResult by_id(std::int64_t image, std::int64_t category) {
  return {.image_id = image, .category_id = category, .score = 0.5};
}
CocoResult by_name(const std::string& image, const std::string& category) {
  return {.score = 0.5, .image = image, .category = category};
}

}  // namespace

TEST_CASE(
    "ground truth has the label files' own ids and names, boxes in source pixels, areas as "
    "stated") {
  const OpenStore open({{"red", 90}, {"green", 17}, {"blue", 4}});
  const CocoGroundTruth ground_truth =
      ground_truth_of(open.reader, open.pictures, open.ledger({4711, 12, 139}));
  REQUIRE(ground_truth.images.size() == 3);
  CHECK(ground_truth.images[0] == CocoGroundTruth::Image{4711, "images/p0.jpg", 128, 96});
  CHECK(ground_truth.images[1].id == 12);
  CHECK(ground_truth.categories ==
        std::vector<CocoGroundTruth::Category>{{90, "red"}, {17, "green"}, {4, "blue"}});
  REQUIRE(ground_truth.annotations.size() == 6);
  for (const CocoGroundTruth::Annotation& one : ground_truth.annotations)
    CHECK(one.area == doctest::Approx(one.box.width * one.box.height));
  CHECK(ground_truth.annotations[5].image_id == 139);

  // Truths that are there already are not made again.
  std::vector<PictureResult> measured(3);
  measured[1].ground_truths.push_back({.box = {1, 2, 3, 4}, .class_id = 2, .area = 7});
  const CocoGroundTruth taken =
      ground_truth_of(open.reader, open.pictures, open.ledger({4711, 12, 139}), measured);
  CHECK(taken.images == ground_truth.images);
  CHECK(taken.annotations ==
        std::vector<CocoGroundTruth::Annotation>{
            {.image_id = 12, .category_id = 4, .box = {1, 2, 3, 4}, .area = 7}});
}

TEST_CASE(
    "where an id is missing or stands twice all are made up, the same for a picture in any "
    "company") {
  const OpenStore open({{"red", 90}});
  const CocoGroundTruth ground_truth = ground_truth_of(open.reader, open.pictures, {});
  CHECK(ground_truth.images[0].file_name.starts_with("val"));
  CHECK(ground_truth.categories ==
        std::vector<CocoGroundTruth::Category>{{1, "red"}, {2, "green"}, {3, "blue"}});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(ground_truth.images[i].id ==
          static_cast<std::int64_t>(open.pictures[i].picture_id >> 11));
    CHECK(ground_truth_of(open.reader, {open.pictures[i]}, {}).images.at(0).id ==
          ground_truth.images[i].id);
  }
  CHECK(ground_truth_of(open.reader, open.pictures, open.ledger({1, 2, 1})).images[1].id ==
        ground_truth.images[1].id);
  CHECK(ground_truth_of(open.reader, open.pictures, open.ledger({1, 2, -1})).images[1].id ==
        ground_truth.images[1].id);
}

TEST_CASE(
    "detections are found by id, by name, and by name without folder or extension where that is "
    "one picture's") {
  const CocoGroundTruth ground_truth = small_ground_truth();
  DetectionIndex index(ground_truth, "found.json");
  const auto resolved =
      index.resolve(std::vector{by_id(6, 90), by_name("x/a.jpg", "cat"),
                                by_name("b.jpg", "toothbrush"), by_name("b", "cat")});
  REQUIRE(resolved.size() == 4);
  CHECK(resolved[0] == by_id(6, 90));
  CHECK(resolved[1] == by_id(5, 17));
  CHECK(resolved[2] == by_id(7, 90));
  CHECK(resolved[3] == by_id(7, 17));
}

TEST_CASE("ids that are written as texts are ids where nothing is called so") {
  CocoGroundTruth ground_truth = small_ground_truth();
  DetectionIndex index(ground_truth, "found.json");
  CHECK(index.resolve(std::vector{by_name("6", "90")}) == std::vector{by_id(6, 90)});
  ground_truth.images[1].file_name = "6.jpg";
  ground_truth.categories[0].name = "90";
  DetectionIndex named(ground_truth, "found.json");
  CHECK(named.resolve(std::vector{by_name("6", "90")}) ==
        std::vector{
            by_id(ground_truth.images[1].id, static_cast<int>(ground_truth.categories[0].id))});
}

TEST_CASE("ids may be negative") {
  CocoGroundTruth ground_truth = small_ground_truth();
  ground_truth.images[0].id = -1;
  ground_truth.images[1].id = -2;
  DetectionIndex index(ground_truth, "found.json");
  const auto resolved = index.resolve(std::vector{by_id(-1, 90), by_id(-2, 17)});
  REQUIRE(resolved.size() == 2);
  CHECK(resolved[0].image_id == -1);
  CHECK(resolved[1].image_id == -2);
}

TEST_CASE(
    "pictures that only the ledger knows are left out and counted; paths as opened are names too") {
  const OpenStore open;
  const auto ledger = open.ledger({1, 2, 3});
  const CocoGroundTruth ground_truth = ground_truth_of(open.reader, open.pictures, ledger);
  DetectionIndex index(ground_truth, "found.json");
  index.add_ledger(ledger, open.pictures);
  const auto resolved = index.resolve(std::vector{by_id(77, 1), by_id(2, 1), by_name("twin", "red"),
                                                  by_name("/set/images/p2.jpg", "blue")});
  REQUIRE(resolved.size() == 2);
  CHECK(resolved[0].image_id == 2);
  CHECK(resolved[1].image_id == 3);
  CHECK(index.left_out() == 2);
  DetectionIndex other(ground_truth, "found.json");
  other.add_ledger(ledger, open.pictures);
  CHECK_THROWS_WITH_AS(other.resolve(std::vector{by_id(77, 1)}),
                       "found.json: all 1 detections are of pictures that are not measured on; is "
                       "it another --split?",
                       Error);
}

TEST_CASE(
    "two sources with the same image ids: it is said whose, the others' own ids are still known, "
    "an id of two pictures is refused") {
  const OpenStore open;
  const auto ledger = open.ledger({5, 5, 9});
  CHECK(fault_of_ids(open.pictures, ledger) ==
        "/set/images/p0.jpg and /set/images/p1.jpg both have 5");
  CHECK(fault_of_ids(open.pictures, open.ledger({5, -1, 9})) == "images/p1.jpg has none");
  CHECK(fault_of_ids(open.pictures, open.ledger({5, 6, 9})).empty());
  CHECK(fault_of_ids(open.pictures, open.ledger({-1, -1, -1})).empty());
  CHECK(fault_of_ids(open.pictures, {}).empty());
  const CocoGroundTruth ground_truth = ground_truth_of(open.reader, open.pictures, ledger);
  DetectionIndex index(ground_truth, "found.json");
  index.add_ledger(ledger, open.pictures);
  const auto resolved = index.resolve(
      std::vector{by_id(9, 1), by_name("p0", "red"), by_id(ground_truth.images[1].id, 2)});
  REQUIRE(resolved.size() == 3);
  for (const auto& [i, picture] : {std::pair<std::size_t, std::size_t>{0, 2}, {1, 0}, {2, 1}})
    CHECK(resolved[i].image_id == ground_truth.images[picture].id);
  CHECK_THROWS_WITH_AS(
      index.resolve(std::vector{by_id(5, 1)}),
      "found.json: detection 0: several pictures have image_id 5; give file names as image_id",
      Error);
}

TEST_CASE(
    "two sources with the same file names: each picture is called by its path, another split's is "
    "left out by its own") {
  const OpenStore open;
  auto ledger = open.ledger({1, 2, 3});
  for (std::size_t i = 0; i < 2; ++i)
    ledger[i].name = "a.jpg", ledger[i].path = i == 0 ? "/one/a.jpg" : "/two/a.jpg";
  ledger[3].name = "images/p2.jpg", ledger[3].path = "/train/images/p2.jpg", ledger[3].image_id = 3;
  const CocoGroundTruth ground_truth = ground_truth_of(open.reader, open.pictures, ledger);
  CHECK(ground_truth.images[0].file_name == "/one/a.jpg");
  CHECK(ground_truth.images[1].file_name == "/two/a.jpg");
  CHECK(ground_truth.images[2].file_name == "images/p2.jpg");
  DetectionIndex index(ground_truth, "found.json");
  index.add_ledger(ledger, open.pictures);
  const auto resolved =
      index.resolve(std::vector{by_name("/two/a.jpg", "red"), by_name("images/p2.jpg", "red"),
                                by_name("/train/images/p2.jpg", "red"), by_id(3, 1)});
  REQUIRE(resolved.size() == 3);
  CHECK(resolved[0].image_id == 2);
  CHECK(resolved[1].image_id == 3);
  CHECK(resolved[2].image_id == 3);
  CHECK(index.left_out() == 1);
  CHECK_THROWS_WITH_AS(index.resolve(std::vector{by_name("a.jpg", "red")}),
                       "found.json: detection 0: several pictures are called 'a.jpg'; name it with "
                       "its folder, or by its "
                       "image_id",
                       Error);
  // With the same folder before it in both label files the name still does not tell them apart.
  for (std::size_t i = 0; i < 2; ++i) ledger[i].name = "images/a.jpg";
  DetectionIndex alike(ground_truth, "found.json");
  alike.add_ledger(ledger, open.pictures);
  CHECK_THROWS_WITH_AS(alike.resolve(std::vector{by_name("images/a.jpg", "red")}),
                       "found.json: detection 0: several pictures are called 'images/a.jpg'; name "
                       "it with its folder, or by its image_id",
                       Error);
  CHECK(alike.resolve(std::vector{by_name("/two/a.jpg", "red")}).at(0).image_id == 2);
}

TEST_CASE("a whole name of two pictures and a name of two classes are refused") {
  CocoGroundTruth ground_truth = small_ground_truth();
  ground_truth.images[1].file_name = ground_truth.images[0].file_name;
  ground_truth.categories[1].name = "cat";
  DetectionIndex index(ground_truth, "found.json");
  const std::string name = ground_truth.images[0].file_name;
  CHECK_THROWS_WITH_AS(index.resolve(std::vector{by_name(name, "cat")}),
                       ("found.json: detection 0: several pictures are called '" + name +
                        "'; name it with its folder, or by its image_id")
                           .c_str(),
                       Error);
  CocoResult of_cat = by_id(ground_truth.images[0].id, 17);
  of_cat.category = "cat";
  CHECK_THROWS_WITH_AS(index.resolve(std::vector{of_cat}),
                       "found.json: detection 0: several classes are called 'cat'; give numbers as "
                       "category_id",
                       Error);
  CHECK(index.resolve(std::vector{by_id(ground_truth.images[0].id, 90)}).at(0).category_id == 90);
}

TEST_CASE("a detection of nothing known is refused with its number and what there is") {
  const CocoGroundTruth ground_truth = small_ground_truth();
  const auto refused = [&](const CocoResult& bad, const char* message) {
    DetectionIndex index(ground_truth, "found.json");
    CHECK_THROWS_WITH_AS(index.resolve(std::vector{by_id(5, 17), bad}), message, Error);
  };
  refused(by_id(8, 17),
          "found.json: detection 1: there is no picture with image_id 8; --coco-truth-out writes "
          "the ids there are, or give file names as "
          "image_id");
  refused(by_name("c.jpg", "cat"),
          "found.json: detection 1: there is no picture 'c.jpg'; --coco-truth-out writes the names "
          "there are");
  refused(by_name("a.jpg", "cat"),
          "found.json: detection 1: several pictures are called 'a.jpg'; name it with its folder, "
          "or by its "
          "image_id");
  refused(by_id(5, 18),
          "found.json: detection 1: there is no class with category_id 18; known: 17 (cat), 90 "
          "(toothbrush)");
  refused(
      by_name("b", "cta"),
      "found.json: detection 1: unknown class 'cta'; did you mean 'cat'? known: cat, toothbrush");
}
