#include "trainer/fit/trainer.h"

#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "letterpress/base/fault_hook.h"
#include "tests/read_by_python.h"
#include "tests/trainer/fit/run_bench.h"

using namespace letterpress;

TEST_CASE(
    "10 steps are 5 steps, a SIGTERM and 5 resumed ones, bit for bit; also when the signal comes "
    "at an epoch's end") {
  RunBench bench;
  const FitResult straight = Trainer(bench.options("straight", 5)).run();
  CHECK(straight.signal == 0);
  CHECK(straight.done.step == 10);
  CHECK(straight.done.epochs_done == 5);
  const double last_three = mean_of_last(bench.dir / "straight/results.csv", "map50", 3);
  CHECK(straight.last_mean.at("map50") == doctest::Approx(last_three).epsilon(1e-4));
  for (const std::int64_t step : {5, 6}) {
    CAPTURE(step);
    FitOptions options = bench.options("stopped" + std::to_string(step), 5);
    const FitResult stopped = train_until(options, step);
    CHECK(stopped.signal == SIGTERM);
    CHECK(stopped.done.step == step);
    CHECK(stopped.done.epochs_done == 2);
    CHECK(read_csv(options.out / "results.csv").size() == 3);
    CHECK(Pin::list(Store::open(bench.dir / "store")).size() ==
          1);  // only the stopped run still needs its snapshot
    options.resume = true;
    const FitResult resumed = Trainer(options).run();
    CHECK(resumed.done.step == 10);
    CHECK(resumed.last_mean == straight.last_mean);
    CHECK(bench.noted("resumed from " + (options.out / "last.safetensors").string() + " at step " +
                      std::to_string(step) + " of 10"));
    check_same_tensors(bench.dir / "straight/last.safetensors", options.out / "last.safetensors");
    check_same_tensors(bench.dir / "straight/best.safetensors", options.out / "best.safetensors");
    check_same_results(bench.dir / "straight", options.out);
    CHECK(Pin::list(Store::open(bench.dir / "store")).empty());
  }
}

TEST_CASE(
    "yolov8n and yolo11n: 4 steps are 2 steps, a SIGTERM and 2 resumed ones, bit for bit, in fp32 "
    "and in bf16") {
  RunBench bench;
  for (const auto& [model, precision] :
       {std::pair{"yolov8n", "fp32"}, std::pair{"yolov8n", "bf16"}, std::pair{"yolo11n", "fp32"},
        std::pair{"yolo11n", "bf16"}}) {
    CAPTURE(model);
    CAPTURE(precision);
    const auto options = [&](const std::string& run) {
      FitOptions made = bench.options(run + model + precision, 2);
      made.model = model;
      made.precision = precision;
      return made;
    };
    CHECK(std::isfinite(check_resumes_to_the_bit(options, 2, 4).last_loss.value()));
    CHECK(read_csv(options("stopped").out / "results.csv")[0][2] == "box");
  }
  FitOptions with_anchors = bench.options("anchors", 1);
  with_anchors.model = "yolov8n";
  with_anchors.anchors = "model";
  check_error(Exit::usage, "--anchors 'model': yolov8n has no anchors; leave the flag out",
              [&] { Trainer{with_anchors}; });
}

TEST_CASE(
    "a run leaves configuration, metrics per epoch, a best file for use and a last one for "
    "resuming" *
    doctest::test_suite("needs Python")) {
  RunBench bench;
  FitOptions options = bench.options("run", 2);
  options.model = "yolov3-tiny";
  options.accumulate = 2;
  const FitResult result = Trainer(options).run();
  const auto csv = read_csv(options.out / "results.csv");
  CHECK(csv[0] == std::vector<std::string>{"epoch", "step", "box_xy", "box_wh", "objectness",
                                           "classes", "loss", "lr", "images_per_s",
                                           "data_wait_percent", "map50", "map50_95", "precision",
                                           "recall", "val_loss", "seconds"});
  REQUIRE(csv.size() == 3);
  CHECK(csv[1][0] == "1");
  CHECK(csv[1][1] == "2");
  CHECK(csv[2][1] == "4");
  CHECK(std::stod(csv[1][6]) == doctest::Approx(std::stod(csv[1][2]) + std::stod(csv[1][3]) +
                                                std::stod(csv[1][4]) + std::stod(csv[1][5]))
                                    .epsilon(1e-4));
  CHECK(std::stod(csv[1][8]) > 0);
  REQUIRE(result.metrics);
  CHECK(std::stod(csv[2][10]) == doctest::Approx(result.metrics->map50).epsilon(1e-4));
  const Checkpoint best = read_checkpoint(options.out / "best.safetensors"),
                   last = read_checkpoint(options.out / "last.safetensors");
  for (const auto& [name, tensor] : best.tensors) CHECK_FALSE(is_for_training(name));
  CHECK(last.tensors.size() >
        3 * best.tensors.size());  // train.*, two moments and a count of each parameter
  CHECK(last.info.classes == DrawnStore::classes());
  CHECK(last.info.position == 16);
  CHECK(last.info.snapshot_generation == 1);
  CHECK(last.info.metrics.at("map50") == result.metrics->map50);
  CHECK(read_file(options.out / "configuration.json") == last.info.configuration_json + "\n");
  nlohmann::json stored = nlohmann::json::parse(last.info.configuration_json);
  const nlohmann::json used = stored.at("used");
  stored.erase("used");
  CHECK(stored == nlohmann::json::parse(to_json(options)));
  CHECK(stored.at("log-every") == 10);
  CHECK(used.at("snapshot") == 1);
  CHECK(used.at("device") == "cpu");
  CHECK(used.at("ranks") == 1);
  CHECK(used.at("threads") >= 1);
  CHECK(used.at("anchors").size() == 12);  // 6 of k-means
  CHECK(bench.noted("8 pictures in train with 2 augmented views, 2 in val, side 64, 3 classes"));
  CHECK(bench.noted("6 anchors (k-means over 48 boxes): "));
  CHECK(bench.noted("model yolov3-tiny: 8674496 parameters"));
  CHECK(bench.noted("epoch 2/2: loss "));
  check_read_by_python("tests/trainer/fit/read_run.py", options.out / "last.safetensors");
}

TEST_CASE(
    "a folder with a run is neither overwritten nor shared; --resume without a run begins one") {
  RunBench bench;
  FitOptions options = bench.options("run", 1);
  options.resume = true;
  {
    Trainer first(options);
    CHECK(bench.noted("last.safetensors is not there: the run begins at its first step"));
    check_error(Exit::busy, "lock", [&] { Trainer second(options); });
    CHECK(first.run().done.step == 2);
  }
  options.resume = false;
  check_error(Exit::configuration,
              "run: holds a run already; --resume goes on with it, another --out begins a new one",
              [&] { Trainer again(options); });
  options.resume = true;
  const FitResult result = Trainer(options).run();  // complete: nothing to do
  CHECK(result.done.step == 2);
  CHECK(result.signal == 0);
  CHECK(bench.noted("nothing is left to do: all 1 epochs are done; more --epochs go on"));
  options.batch = 2;
  check_error(Exit::configuration, "--batch is 2, was 4 when the run was begun",
              [&] { Trainer other(options); });
}

TEST_CASE("without a val split the run says so and trains without metrics") {
  RunBench bench({.train = 8, .val = 0});
  FitOptions options = bench.options("run", 2);
  const FitResult result = Trainer(options).run();
  CHECK(bench.noted(
      "split 'val' is empty: no metrics, best.safetensors will be the newest epoch's weights"));
  CHECK_FALSE(result.metrics);
  CHECK(read_csv(options.out / "results.csv")[2][10].empty());
  CHECK(read_checkpoint(options.out / "best.safetensors").info.step == 4);
  options.out = bench.dir / "other";
  options.split = "trian";
  check_error(Exit::usage, "--split: unknown split 'trian'; did you mean 'train'? known: train",
              [&] { Trainer other(options); });
  options.split = "train";
  options.val_split = "test";
  check_error(Exit::usage, "--val-split: unknown split 'test'; known: train",
              [&] { Trainer other(options); });
  options.val_split = "val";  // given, so it must be there
  check_error(Exit::usage, "--val-split: unknown split 'val'; known: train",
              [&] { Trainer other(options); });
  options.val_split.clear();
  for (const char* out : {"store", "store/run"}) {
    options.out = bench.dir / out;
    check_error(Exit::configuration, "lies in the store", [&] { Trainer other(options); });
  }
}

TEST_CASE(
    "--resume of a run whose last checkpoint is gone is refused before anything of it is "
    "replaced") {
  RunBench bench;
  FitOptions options = bench.options("run", 2);
  Trainer(options).run();
  const std::string results = read_file(options.out / "results.csv"),
                    best = read_file(options.out / "best.safetensors");
  std::filesystem::remove(options.out / "last.safetensors");
  options.resume = true;
  check_error(Exit::configuration,
              "holds a run of 2 epochs whose last.safetensors is gone; put it back, or go on from "
              "its best weights",
              [&] { Trainer other(options); });
  CHECK(read_file(options.out / "results.csv") == results);
  CHECK(read_file(options.out / "best.safetensors") == best);
}

TEST_CASE("a batch larger than the train split holds all of it, also when the run goes on") {
  RunBench bench;
  FitOptions options = bench.options("run", 1);
  options.batch = 64;
  options.accumulate = 16;
  CHECK(Trainer(options).run().done.step == 1);
  CHECK(bench.noted("--batch 64 is more than the 8 pictures of split train; batches hold 8"));
  CHECK(read_file(options.out / "configuration.json")
            .find(R"("accumulate":2,"anchors":"auto","batch":8,)") != std::string::npos);
  options.resume = true;
  options.epochs = 2;
  CHECK(Trainer(options).run().done.step == 2);
  CHECK(resumed_options(options, {}).batch == 8);
}

TEST_CASE("a run that goes on says what it began with, whatever is given then") {
  RunBench bench;
  FitOptions options = bench.options("run", 1);
  options.init = (bench.dir / "first").string();
  for (const FitOptions& one : {bench.options("first", 1), options}) Trainer(one).run();
  options.resume = true;
  options.init = "elsewhere";
  CHECK(resumed_options(options, {"init"}).init == (bench.dir / "first").string());
}

TEST_CASE(
    "a run that was killed before its first checkpoint begins again with the flags it was begun "
    "with") {
  RunBench bench;
  FitOptions begun = bench.options("run", 3);
  begun.schedule = "linear";
  begun.init = "start.safetensors";
  bench.dir.write("run/configuration.json", to_json(begun));
  FitOptions again = bench.options("run", 40);
  again.resume = true;
  again.batch = 2;
  const FitOptions resumed = resumed_options(again, {"batch"});
  CHECK(resumed.epochs == 3);
  CHECK(resumed.schedule == "linear");
  CHECK(resumed.init == "start.safetensors");
  CHECK(resumed.batch == 2);
  bench.dir.write("run/configuration.json", "{cut");
  check_error(
      Exit::data,
      "configuration.json: is not a JSON object of flags; remove it, or begin with another --out",
      [&] { resumed_options(again, {}); });
}

TEST_CASE("what a killed run left behind is removed when the next one holds the lock") {
  RunBench bench;
  bench.dir.write("run/4711-1700000000.5-0", "half a checkpoint");
  bench.dir.write("run/notes-1.txt", "the user's");
  Trainer(bench.options("run", 1)).run();
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(bench.dir / "run"))
    names.insert(entry.path().filename().string());
  CHECK(names == std::set<std::string>{"best.safetensors", "configuration.json", "last.safetensors",
                                       "lock", "notes-1.txt", "results.csv", "tensorboard"});
}

TEST_CASE("a full disk ends the run with 74 and leaves it resumable, bit for bit") {
  RunBench bench;
  Trainer(bench.options("straight", 3)).run();
  FitOptions options = bench.options("full", 3);
  bool full = false;
  set_fault_hook([&](std::string_view operation, std::string_view path) {
    return full && operation == "write" && !path.ends_with(".csv") &&
                   path.find("/full/") != std::string_view::npos
               ? ENOSPC
               : 0;
  });
  options.hooks.after_step = [&](std::int64_t step) { full = step >= 3; };
  check_error(Exit::io, "; fix this, then --resume goes on from step 2",
              [&] { Trainer(options).run(); });
  set_fault_hook(nullptr);
  CHECK(read_checkpoint(options.out / "last.safetensors").info.step == 2);
  options.resume = true;
  options.hooks.after_step = nullptr;
  CHECK(Trainer(options).run().done.step == 6);
  check_same_tensors(bench.dir / "straight/last.safetensors", options.out / "last.safetensors");
  check_same_results(bench.dir / "straight", options.out);
}

TEST_CASE("waiting for a slow reader shows as data_wait") {
  RunBench bench({.train = 20, .val = 0});
  FitOptions options = bench.options(
      "slow", 1);  // 5 steps, of which the reader may have prepared 3 before they begin
  options.readers = 1;
  options.hooks.before_read = [](const RowPlace&) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
  };
  Trainer(options).run();
  const double waited = std::stod(read_csv(options.out / "results.csv")[1][9]);
  CHECK(waited > 20);
  CHECK(waited <= 100);
}

TEST_CASE("fp16 is refused on a CPU, with what to take in its place") {
  RunBench bench;
  FitOptions options = bench.options("run", 1);
  options.precision = "fp16";
  check_error(Exit::configuration,
              "--precision fp16: is for CUDA devices, this is on the CPU; use bf16 or fp32",
              [&] { Trainer{options}; });
}
