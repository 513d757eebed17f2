// Runs after a rebuild: what is new, what is known, what is taken up between epochs.
#include "tests/trainer/fit/run_bench.h"
#include "trainer/fit/opening/known_pictures.h"

using namespace letterpress;

namespace {

const DrawnStore kMore{.train = 12, .val = 2, .views = 2};

// Publishes twelve pictures, the eight from before among them, when the third step of the run
// begins.
FitOptions followed(RunBench& bench, const std::string& run) {
  FitOptions options = bench.options(run, 4);
  options.snapshot = "follow";
  options.hooks.before_step = [store = bench.dir / "store"](std::int64_t step) {
    if (step == 3 && Store::open(store).latest().value().generation == 1) kMore.publish(store);
  };
  return options;
}

}  // namespace

TEST_CASE("--snapshot follow takes up a newer snapshot at the end of an epoch") {
  RunBench bench;
  const FitOptions options = followed(bench, "run");
  const FitResult result = Trainer(options).run();
  CHECK(result.done.step == 10);  // two epochs of 8 pictures, two of 12, four to a step
  CHECK(
      bench.noted("snapshot 2 is taken up after epoch 2, in place of 1: 12 pictures in train, 2 to "
                  "measure on"));
  const auto csv = read_csv(options.out / "results.csv");
  REQUIRE(csv.size() == 5);
  for (const auto& [line, step] : {std::pair{1, "2"}, {2, "4"}, {3, "7"}, {4, "10"}})
    CHECK(csv[static_cast<std::size_t>(line)][1] == step);
  const CheckpointInfo last = read_checkpoint(options.out / "last.safetensors", true).info;
  CHECK(last.snapshot_generation == 2);
  CHECK(last.position == 48);  // four epochs of 12
  CHECK(Pin::list(Store::open(bench.dir / "store")).empty());
}

TEST_CASE(
    "a schedule goes by epochs: it neither freezes again nor jumps back when an epoch becomes "
    "longer") {
  RunBench bench;
  FitOptions options = followed(bench, "run");
  options.freeze = "all-but-head";
  options.freeze_epochs = 2;
  Trainer(options).run();
  CHECK(bench.noted("all layers train from step 4 on"));  // after two epochs of 8 pictures; two of
                                                          // 12 would be six steps
  CHECK(std::count_if(bench.notes.begin(), bench.notes.end(),
                      [](const std::string& note) { return note.starts_with("frozen: "); }) == 1);
}

TEST_CASE("what was best on other pictures does not count for those taken up") {
  RunBench bench;
  FitOptions options = followed(bench, "run");
  options.monitor = "loss";
  options.patience = 1;
  options.min_delta = 1e6;  // no epoch is that much better than the one before
  CHECK(Trainer(options).run().done.epochs_done ==
        4);  // each snapshot's first epoch is its best, the second stalls
}

TEST_CASE("a run that took up a snapshot resumes bit for bit, before and after it did") {
  RunBench straight;
  Trainer(followed(straight, "run")).run();
  for (const std::int64_t step : {3, 8}) {
    CAPTURE(step);
    RunBench bench;
    FitOptions options = followed(bench, "run");
    CHECK(train_until(options, step).done.step == step);
    CHECK(Pin::list(Store::open(bench.dir / "store")).at(0).generation == (step < 4 ? 1 : 2));
    options.resume = true;
    options.snapshot = "";
    options = resumed_options(options, {});
    CHECK(options.snapshot == "follow");
    CHECK(Trainer(options).run().done.step == 10);
    check_same_tensors(straight.dir / "run/last.safetensors", options.out / "last.safetensors");
    check_same_results(straight.dir / "run", options.out);
  }
}

TEST_CASE("views that were drawn anew are taken up, and what was best stays the best") {
  RunBench bench;
  FitOptions options = bench.options("run", 4);
  options.snapshot = "follow";
  options.monitor = "loss";
  options.patience = 1;
  options.min_delta = 1e6;  // no epoch is that much better than the one before
  options.hooks.before_step = [store = bench.dir / "store"](std::int64_t step) {
    if (step == 1) DrawnStore{.train = 8, .val = 2, .views = 2, .redrawn = 1}.publish(store);
  };
  CHECK(Trainer(options).run().done.epochs_done ==
        2);  // of other pictures the second would be the first
  CHECK(bench.noted("views of snapshot 2 after epoch 1"));
  CHECK_FALSE(bench.noted("is taken up"));
  CHECK(read_checkpoint(options.out / "last.safetensors", true).info.snapshot_generation == 2);
}

TEST_CASE("a run whose views change resumes bit for bit") {
  const auto redrawn = [](RunBench& bench) {
    FitOptions options = bench.options("run", 4);
    options.snapshot = "follow";
    options.hooks.before_step = [store = bench.dir / "store"](std::int64_t step) {
      if (step == 3 && Store::open(store).latest().value().generation == 1)
        DrawnStore{.train = 8, .val = 2, .views = 2, .redrawn = 1}.publish(store);
    };
    return options;
  };
  RunBench straight, bench;
  Trainer(redrawn(straight)).run();
  FitOptions options = redrawn(bench);
  CHECK(train_until(options, 6).done.step == 6);
  options.resume = true;
  CHECK(Trainer(options).run().done.step == 8);
  check_same_tensors(straight.dir / "run/last.safetensors", options.out / "last.safetensors");
  check_same_results(straight.dir / "run", options.out);
}

TEST_CASE(
    "a snapshot with other classes, another side or nothing to train on is not taken up, which is "
    "said once") {
  for (const auto& [other, reason] :
       {std::pair{DrawnStore{.views = 2, .class_names = {"red", "green", "blue", "black"}},
                  "it has other classes"},
        {DrawnStore{.side = 96, .views = 2}, "its pictures have side 96, not 64"},
        {DrawnStore{.train = 0, .val = 4}, "split 'train' has no pictures"}}) {
    RunBench bench;
    FitOptions options = bench.options("run", 4);
    options.snapshot = "follow";
    options.hooks.before_step = [&, store = bench.dir / "store"](std::int64_t step) {
      if (step == 1) other.publish(store);
    };
    CHECK(Trainer(options).run().done.step == 8);
    const auto told =
        std::count_if(bench.notes.begin(), bench.notes.end(), [&](const std::string& note) {
          return note == std::string("snapshot 2 is not taken up: ") + reason;
        });
    CHECK(told == 1);
  }
}

TEST_CASE("a snapshot whose val split has no ground truth is not taken up by a run that measures") {
  RunBench bench;
  FitOptions options = bench.options("run", 2);
  options.snapshot = "follow";
  options.hooks.before_step = [store = bench.dir / "store"](std::int64_t step) {
    if (step == 1) DrawnStore{.train = 12, .views = 2, .unlabelled_val = true}.publish(store);
  };
  CHECK(Trainer(options).run().metrics);
  CHECK(
      bench.noted("snapshot 2 is not taken up: none of the 2 pictures of split 'val' has ground "
                  "truth: no metrics"));
}

TEST_CASE("--replay: an epoch has what is new since --init, and the share of what that knew") {
  RunBench bench;
  Trainer(bench.options("first", 1)).run();
  kMore.publish(bench.dir / "store");
  FitOptions options = bench.options("second", 2);
  options.init = bench.dir / "first";
  options.replay = 0.5;
  const FitResult result = Trainer(options).run();
  CHECK(bench.noted("--replay: 4 pictures are new, of 8 known from snapshot 1 an epoch has 4"));
  CHECK(result.done.step == 4);
  options.resume = true;
  options.replay = 1;
  CHECK_THROWS_WITH_AS(Trainer(options).run(),
                       doctest::Contains("--replay is 1.0, was 0.5 when the run was begun"), Error);
}

TEST_CASE("--replay without new pictures trains on all") {
  RunBench bench;
  Trainer(bench.options("first", 1)).run();
  FitOptions options = bench.options("second", 1);
  options.init = bench.dir / "first";
  options.replay = 0;
  CHECK(Trainer(options).run().done.step == 2);
}

TEST_CASE("--replay wants the snapshot that --init was trained on") {
  RunBench bench, other({.train = 5});
  Trainer(bench.options("first", 1)).run();
  FitOptions options = bench.options("second", 1);
  options.init = bench.dir / "first";
  options.replay = 0.5;
  options.store = other.dir / "store";
  const std::string file = (bench.dir / "first/best.safetensors").string();
  CHECK_THROWS_WITH_AS(Trainer(options).run(),
                       ("--replay: " + file + " was trained on snapshot 1 of another store than " +
                        options.store.string() + "; leave --replay out")
                           .c_str(),
                       Error);
}

TEST_CASE("pictures count as known when pixels and labels are the same") {
  const TempDir dir;
  DrawnStore{.train = 4, .val = 1}.publish(dir / "store");
  DrawnStore{.train = 6, .val = 1, .relabelled = 2}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, store.snapshot(2));
  std::vector<PictureRows> pictures = reader.pictures("train");
  REQUIRE(pictures.size() == 6);
  CHECK(put_known_last(pictures, store, reader, 1) == 3);
  std::vector<std::string> names;
  for (const PictureRows& picture : pictures)
    names.push_back(reader.shard(picture.clean.shard).name(picture.clean.row));
  std::sort(names.begin(), names.begin() + 3);
  std::sort(names.begin() + 3, names.end());
  CHECK(names == std::vector<std::string>{"train2.png", "train4.png", "train5.png", "train0.png",
                                          "train1.png", "train3.png"});
}

TEST_CASE(
    "--if-new: a snapshot was trained on by the run in --out or --init's when that has ended") {
  RunBench bench;
  const FitOptions first = bench.options("first", 4);
  CHECK_FALSE(trained_already(first));
  train_until(first, 5);
  CHECK_FALSE(trained_already(first));  // not to its end
  FitOptions second = bench.options("second", 1);
  second.init = first.out;
  const std::string store = (bench.dir / "store").string();
  const std::filesystem::path best = first.out / "best.safetensors", copy = bench.dir / "copy";
  for (const auto& init : {first.out, best}) {
    second.init = init;
    CHECK_FALSE(trained_already(second));  // not to its end
  }
  for (const auto& checkpoint : {best, first.out / "last.safetensors"}) {
    std::filesystem::copy_file(checkpoint, copy, std::filesystem::copy_options::overwrite_existing);
    second.init = copy;
    CHECK_FALSE(trained_already(second));  // alone it says the same
  }
  FitOptions resumed = first;
  resumed.resume = true;
  Trainer(resumed).run();
  CHECK(trained_already(first).value_or("") ==
        "snapshot 1 of " + store + " was trained on already, by " + first.out.string());
  std::filesystem::copy_file(first.out / "last.safetensors", copy,
                             std::filesystem::copy_options::overwrite_existing);
  for (const auto& init : {first.out, best, copy}) {
    second.init = init;
    CHECK(trained_already(second).value_or("") ==
          "snapshot 1 of " + store + " was trained on already, by " + init.string());
  }
  kMore.publish(bench.dir / "store");
  CHECK_FALSE(trained_already(first));
  CHECK_FALSE(trained_already(second));
}

TEST_CASE("--if-new: other views of the pictures that were trained on are nothing new") {
  RunBench bench({.train = 8, .val = 2, .views = 2});
  const FitOptions options = bench.options("run", 1);
  Trainer(options).run();
  DrawnStore{.train = 8, .val = 2, .views = 2, .redrawn = 1}.publish(bench.dir / "store");
  CHECK(trained_already(options).value_or("") == "snapshot 2 of " + (bench.dir / "store").string() +
                                                     " was trained on already, by " +
                                                     options.out.string());
  DrawnStore{.train = 9, .val = 2, .views = 2, .redrawn = 2}.publish(bench.dir / "store");
  CHECK_FALSE(trained_already(options));
}

TEST_CASE("--if-new: a run that stalled has ended; one that collapsed is not a trained run") {
  RunBench bench;
  FitOptions stalled = bench.options("stalled", 9);
  stalled.monitor = "loss";
  stalled.patience = 1;
  stalled.min_delta = 1e9;  // the first epoch stays the best
  const FitResult stopped = Trainer(stalled).run();
  CHECK(stopped.ending == Ending::stalled);
  CHECK(stopped.done.epochs_done == 2);
  CHECK(trained_already(stalled));

  FitOptions collapsed = bench.options("collapsed", 1);
  collapsed.freeze = "all-but-head";
  collapsed.class_weights = "1e25,1e25,1e25";  // the squares of their gradients are not finite
  const FitResult result = Trainer(collapsed).run();
  CHECK(result.ending == Ending::complete);
  CHECK(result.done.skipped_steps == 2);
  CHECK(has_diverged(result.done));
  CHECK_FALSE(trained_already(collapsed));
  FitOptions next = bench.options("next", 1);
  next.init = stalled.out;
  CHECK(trained_already(next));
  for (const std::string file : {"", "best.safetensors", "last.safetensors"}) {
    CAPTURE(file);
    next.init = file.empty() ? collapsed.out : collapsed.out / file;
    CHECK_FALSE(trained_already(next));
  }
}
