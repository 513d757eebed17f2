#include "trainer/fit/evaluation/evaluate.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "letterpress/shards/anchors.h"
#include "tests/agreement.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"
#include "tests/trainer/fit/evaluation/same_boxes.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/opening/opened_split.h"

using namespace letterpress;

namespace {

struct OpenStore {
  TempDir dir;
  Store store;
  SnapshotReader reader;
  explicit OpenStore(const DrawnStore& drawn)
      : store(made(drawn)), reader(store, *store.latest()) {}

 private:
  Store made(const DrawnStore& drawn) const {
    drawn.publish(dir / "store");
    return Store::open(dir / "store");
  }
};

Checkpoint fitting(const Snapshot& snapshot) {
  Checkpoint checkpoint;
  checkpoint.info.graph = make_model("yolov3-tiny", {.classes = 3, .side = 64});
  checkpoint.info.classes = snapshot.classes;
  return checkpoint;
}

// As if it had been built with --tile.
Snapshot of_tiles(Snapshot snapshot) {
  snapshot.identity.recipe_json.pop_back();
  snapshot.identity.recipe_json += ",\"tiles\":" + to_json(TileRule{}) + "}";
  return snapshot;
}

}  // namespace

TEST_CASE("a split whose rows are all dead is refused where a picture is needed") {
  const OpenStore open({.train = 1, .val = 1});
  Snapshot snapshot = open.reader.snapshot();
  snapshot.shards[0].dead = {0};
  const SnapshotReader reader(open.store, snapshot);
  CHECK(some_pictures_of(open.store, reader, "val").size() == 1);
  const std::string where = "66 " + open.store.snapshot_path(1).string(),
                    fix = "; look at `letterpress-preprocess info`";
  CHECK(message_of([&] { some_pictures_of(open.store, reader, "train"); }) ==
        where + ": holds no picture of split 'train'" + fix);
  snapshot.shards.clear();
  const SnapshotReader empty(open.store, snapshot);
  CHECK(message_of([&] { some_pictures_of(open.store, empty, "train"); }) ==
        where + ": holds no picture" + fix);
}

TEST_CASE("ground truths come back in pixels of the source picture, clipped to it") {
  const TempDir dir;
  ShardSpec spec{.side = 64, .max_boxes = 8, .names = {"a.png"}, .classes = {"x"}};
  ShardWriter writer(dir.path(), spec);
  // 128 x 96 source at half size, 8 rows of margin above and below.
  ShardRow row{.boxes = {{10, 8, 20, 18, 0, kDifficult, 400},
                         {-4, 50, 6, 60, 0, kCrowd, 7},
                         {10, 0, 20, 4, 0}},
               .letterbox = {{0.5, 0, 0, 0, 0.5, 8}},
               .source_width = 128,
               .source_height = 96};
  writer.write_row(0, row, std::vector<std::uint8_t>(3 * 64 * 64));
  const ShardReader shard(dir / (writer.finish(dir.path()).hex() + ".h5"));
  const auto ground_truths = source_ground_truths(shard, 0);
  REQUIRE(ground_truths.size() == 2);  // the third lies in the margin
  CHECK(ground_truths[0] == LabelBox{20, 0, 40, 20, 0, kDifficult, 400});
  CHECK(ground_truths[1] == LabelBox{0, 84, 12, 96, 0, kCrowd, 7});
}

TEST_CASE("evaluation is the same for any batch and leaves the mode of the network") {
  const OpenStore open({.train = 3, .val = 5});
  Network network(make_model("yolov3-tiny", {.classes = 3, .side = 64}));
  network.initialise(3);
  network.train();
  const auto pictures = open.reader.pictures("val");
  const auto whole = evaluate(network, open.reader, pictures, {.batch = 5});
  CHECK(network.is_training());
  REQUIRE(whole);
  for (const int batch : {1, 2, 3}) {
    CAPTURE(batch);
    std::int64_t done = 0;
    const auto metrics =
        evaluate(network, open.reader, pictures,
                 {.batch = batch, .evaluated = [&](std::int64_t n) { done += n; }});
    REQUIRE(metrics);
    CHECK(metrics->map50 == doctest::Approx(whole->map50).epsilon(1e-6));
    CHECK(done == 5);
  }
  std::int64_t ground_truths = 0;
  for (const auto& one : whole->classes) ground_truths += one.ground_truths;
  CHECK(ground_truths == 10);
  CHECK_FALSE(evaluate(network, open.reader, pictures, {.stop = [] { return true; }}));
}

TEST_CASE(
    "detections of different batch sizes agree to 1e-5: scores, and boxes as a share of the "
    "picture") {
  const OpenStore open({.train = 1, .val = 7});
  Network network(make_model("yolov3-tiny", {.classes = 3, .side = 64}));
  network.initialise(3);
  const auto pictures = open.reader.pictures("val");
  const auto whole = detect_pictures(network, open.reader, pictures, {.batch = 7});
  REQUIRE(whole);
  for (const PictureResult& picture : *whole) REQUIRE(picture.found.size() > 10);
  for (const int batch : {1, 2, 4}) {
    CAPTURE(batch);
    const auto parts = detect_pictures(network, open.reader, pictures, {.batch = batch});
    REQUIRE(parts);
    check_agreement(
        "ours",
        "batches of 7 and of " + std::to_string(batch) + ": scores and places of detections",
        furthest_apart(*whole, *parts, 128), 1e-5);
  }
}

TEST_CASE(
    "anchors: k-means fits the drawn boxes better than the published ones; lists are checked") {
  const OpenStore open({.side = 160, .train = 12, .views = 1});
  const auto pictures = open.reader.pictures("train");
  CHECK(box_sizes(open.reader, pictures).size() == 48);  // 12 pictures, 2 views, 2 boxes
  CHECK(box_sizes(open.reader, pictures, 10).size() == 10);
  const auto choose = [&](const std::string& wanted, const Graph* init = nullptr) {
    return choose_anchors(wanted, "yolov3-tiny", open.reader, pictures, init);
  };
  const AnchorChoice computed = choose("auto"), published = choose("model");
  CHECK(computed.source == "k-means over 48 boxes");
  CHECK(computed.anchors.size() == 12);
  CHECK(computed.mean_best_iou > published.mean_best_iou);
  CHECK(published.anchors[0] == doctest::Approx(10.0 * 160 / 416));
  CHECK(make_graph("yolov3-tiny", open.reader.snapshot(), published).anchors == published.anchors);
  CHECK(choose("1,2,3,4,5,6,7,8,9,10,11,12").anchors[3] == 4);
  CHECK_THROWS_WITH_AS(
      choose("1,2,3"),
      "--anchors: got 3 numbers, must be 12, width and height in turn: the model has 6 anchors",
      Error);
  CHECK_THROWS_WITH_AS(choose("1,x"),
                       "--anchors: 'x' is not a size in pixels; give auto, model, or w,h,w,h,...",
                       Error);
  CHECK_THROWS_WITH_AS(choose("-1,2"), doctest::Contains("'-1' is not a size in pixels"), Error);
  const Graph init =
      make_model("yolov3-tiny",
                 {.classes = 80, .side = 160, .anchors = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}});
  CHECK(choose("auto", &init).anchors == init.anchors);
  CHECK(to_string(published).find("6 anchors (published): 3.846x5.385 ") == 0);
}

TEST_CASE(
    "a checkpoint is refused on a store of other classes, side or letterbox, with both and what to "
    "do") {
  const OpenStore open({.train = 2});
  const Snapshot& snapshot = open.reader.snapshot();
  CHECK_NOTHROW(check_fits(fitting(snapshot).info, snapshot, "c"));
  const auto refused = [&](auto change, const char* text) {
    Checkpoint checkpoint = fitting(snapshot);
    change(checkpoint.info);
    try {
      check_fits(checkpoint.info, snapshot, "c.safetensors");
      FAIL("was accepted");
    } catch (const Error& error) {
      CHECK(error.exit() == Exit::configuration);
      CHECK_MESSAGE(std::string(error.what()).find(text) != std::string::npos,
                    std::string(error.what()));
    }
  };
  refused(
      [](auto& info) {
        info.classes = {"cat", "dog"};
      },
      "c.safetensors: its classes are 2 (cat, dog), the store's are 3 (red, green, blue); train "
      "anew on the store");
  refused([](auto& info) { info.graph.side = 416; },
          "was trained on pictures of side 416, the store's are 64; build a store with "
          "`letterpress-preprocess build --size 416`");
  refused([](auto& info) { info.letterbox.fill = 128; }, "was trained with letterbox {");
  refused([](auto& info) { info.tiles = TileRule{.overlap = 0.25}; },
          "was trained on tiles at scale 1, the store holds whole pictures; build a store with "
          "`letterpress-preprocess build --tile 64 --overlap 0.25 --scale 1`");
}

TEST_CASE("a checkpoint of whole pictures is refused on tiles, and one of tiles at another scale") {
  const OpenStore open({.train = 2});
  const Snapshot tiled = of_tiles(open.reader.snapshot());
  Checkpoint checkpoint = fitting(open.reader.snapshot());
  CHECK_THROWS_WITH_AS(
      check_fits(checkpoint.info, tiled, "c"),
      doctest::Contains("was trained on whole pictures, the store holds tiles at scale 1; build a "
                        "store with `letterpress-preprocess build --tile 0 --size 64`"),
      Error);
  checkpoint.info.tiles = TileRule{.overlap = 0.5};  // which tiles there are does not matter
  CHECK_NOTHROW(check_fits(checkpoint.info, tiled, "c"));
  checkpoint.info.tiles = TileRule{.scale = 0.5};
  CHECK_THROWS_WITH_AS(check_fits(checkpoint.info, tiled, "c"),
                       doctest::Contains("was trained on tiles at scale 0.5, the store holds tiles "
                                         "at scale 1"),
                       Error);
  checkpoint.info.tiles = TileRule{.scale = 0.015625};  // every digit counts: it is compared
  CHECK_THROWS_WITH_AS(check_fits(checkpoint.info, tiled, "c"),
                       doctest::Contains("--overlap 0.2 --scale 0.015625`"), Error);
}

TEST_CASE("a checkpoint of tiles is refused on tiles of another side, with the flags of its own") {
  const OpenStore open({.train = 2});
  const Snapshot tiled = of_tiles(open.reader.snapshot());
  Checkpoint checkpoint = fitting(open.reader.snapshot());
  checkpoint.info.tiles = TileRule{.overlap = 0.25};
  checkpoint.info.graph.side = 416;
  checkpoint.info.stored_side = 320;
  CHECK_THROWS_WITH_AS(
      check_fits(checkpoint.info, tiled, "c"),
      doctest::Contains("c: was trained on tiles of side 320, the store's are 64; build a store "
                        "with `letterpress-preprocess build --tile 320 --overlap 0.25 --scale 1`"),
      Error);
}

TEST_CASE("the snapshot of a run: the newest, a number, or on resuming its own") {
  const TempDir dir;
  Store::create(dir / "empty");
  CHECK_THROWS_WITH_AS(choose_snapshot(Store::open(dir / "empty"), "", nullptr),
                       doctest::Contains("nothing was published yet"), Error);
  DrawnStore{.train = 2}.publish(dir / "store");
  DrawnStore{.train = 3}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  CHECK(choose_snapshot(store, "", nullptr).generation == 2);
  CHECK(choose_snapshot(store, "latest", nullptr).generation == 2);
  CHECK(choose_snapshot(store, "1", nullptr).generation == 1);
  CheckpointInfo begun{.snapshot_generation = 1,
                       .snapshot_digest = store.snapshot(1).logical_digest.hex()};
  CHECK(choose_snapshot(store, "", &begun).generation == 1);
  CHECK(choose_snapshot(store, "1", &begun).generation == 1);
  CHECK(choose_snapshot(store, "latest", &begun).generation == 1);  // the latest when it was begun
  CHECK_THROWS_WITH_AS(choose_snapshot(store, "2", &begun),
                       doctest::Contains("the run was begun on snapshot 1"), Error);
  begun.snapshot_digest = "0123";
  CHECK_THROWS_WITH_AS(choose_snapshot(store, "", &begun),
                       doctest::Contains("was the store made anew?"), Error);
}
