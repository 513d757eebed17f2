#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/trainer/fit/run_bench.h"
#include "trainer/fit/schedule_plot.h"

using namespace letterpress;

namespace {

/// Whether a run's backbone has the weights with which it began; its head must have others.
bool has_backbone_of(const std::filesystem::path& begun_file, const std::filesystem::path& run) {
  const Checkpoint begun = read_checkpoint(begun_file);
  const Checkpoint now = read_checkpoint(run / "last.safetensors");
  bool same = true, head_same = true;
  for (const Layer& layer : now.info.graph.layers) {
    if (layer.kind != LayerKind::conv) continue;
    for (const char* tensor : {".weight", ".norm.weight", ".norm.mean"}) {
      if (!now.tensors.contains(layer.name + tensor)) continue;
      const bool equal =
          torch::equal(begun.tensors.at(layer.name + tensor), now.tensors.at(layer.name + tensor));
      (layer.stage == "backbone" ? same : head_same) &= equal;
    }
  }
  CHECK_FALSE(head_same);
  return same;
}

}  // namespace

TEST_CASE("plateau and early stopping go by the metric, and go on over a resumption bit for bit") {
  RunBench bench;
  const auto options_of = [&](const std::string& run) {
    FitOptions options = bench.options(run, 9);
    options.schedule = "plateau";
    options.warmup = 0;
    options.plateau_patience = 1;
    options.patience = 4;
    options.min_delta = 1e9;  // the first epoch stays the best for both
    options.monitor = "loss";
    return options;
  };
  const FitResult straight =
      check_resumes_to_the_bit(options_of, 7, 10);  // in epoch 4, after the drop
  CHECK(straight.ending == Ending::stalled);
  CHECK(straight.done.epochs_done == 5);
  CHECK(bench.noted("loss has stalled: the learning rate falls to 0.0001"));
  CHECK(
      bench.noted("stopped after epoch 5: loss was not better for 4 epochs; a larger --patience "
                  "with --resume goes on"));
  const auto csv = read_csv(bench.dir / "straight/results.csv");
  for (const auto& [epoch, lr] : std::map<std::size_t, std::string>{
           {1, "0.001"}, {3, "0.001"}, {4, "0.0001"}, {5, "0.0001"}}) {
    CHECK(csv.at(epoch).at(7) == lr);
  }
  FitOptions options = options_of("stopped");
  check_same_tensors(bench.dir / "straight/best.safetensors", options.out / "best.safetensors");
  options.resume = true;
  CHECK(Trainer(options).run().done.epochs_done == 5);  // still stalled
  options.patience = 5;
  const FitResult further = Trainer(options).run();
  CHECK(further.ending == Ending::stalled);
  CHECK(further.done.epochs_done == 6);
  options.schedule = "constant";
  options.patience = 0;
  options.epochs = 7;
  CHECK(Trainer(options).run().done.epochs_done == 7);
  CHECK(read_csv(options.out / "results.csv").at(7).at(7) == "0.001");  // not the plateau's 0.0001
}

TEST_CASE(
    "a time budget ends a session after a step with a checkpoint; sessions together are the run in "
    "one, bit for bit") {
  RunBench bench;
  Trainer(bench.options("straight", 1)).run();
  FitOptions options = bench.options("short", 1);
  options.time_budget = 1e-9;
  options.resume = true;
  for (const std::int64_t step : {1, 2}) {
    const FitResult result = Trainer(options).run();
    CHECK(result.ending == Ending::out_of_time);
    CHECK(result.done.step == step);
    CHECK(bench.noted("stopped by --time-budget 1e-09 at step " + std::to_string(step) +
                      "; --resume goes on from here"));
    CHECK(Pin::list(Store::open(bench.dir / "store")).size() == 1);
  }
  CHECK(Trainer(options).run().ending == Ending::complete);  // only the epoch's end was left
  check_same_tensors(bench.dir / "straight/last.safetensors", options.out / "last.safetensors");
  check_same_results(bench.dir / "straight", options.out);
}

TEST_CASE(
    "a time budget that is over while validating ends the session; the next one validates, "
    "whatever it takes") {
  RunBench bench({.train = 8, .val = 2});
  FitOptions options = bench.options("run", 1);
  options.time_budget = 0.05;
  options.resume = true;
  std::chrono::steady_clock::time_point begin{};
  options.hooks.before_step = [&](std::int64_t step) {
    if (step == 1) begin = std::chrono::steady_clock::now();
  };
  options.hooks.before_read = [&](const RowPlace& place) {
    const bool of_val = place.shard == 1;
    while (of_val && std::chrono::steady_clock::now() - begin < std::chrono::seconds(3))
      std::this_thread::yield();
  };
  const FitResult stopped = Trainer(options).run();
  CHECK(stopped.ending == Ending::out_of_time);
  CHECK(stopped.done.step == 2);
  CHECK(stopped.done.epochs_done == 0);
  CHECK(bench.noted("stopped by --time-budget 0.05 at step 2; --resume goes on from here"));
  options.time_budget = 1e-9;
  const FitResult resumed = Trainer(options).run();
  CHECK(resumed.ending == Ending::complete);
  CHECK(resumed.done.epochs_done == 1);
  CHECK(resumed.metrics.has_value());
}

TEST_CASE("checkpoints of every second epoch stay, the newest of them, with weights for use only") {
  RunBench bench({.train = 8, .val = 0});
  FitOptions options = bench.options("run", 5);
  options.save_every = 2;
  options.keep = 1;
  options.monitor = "loss";
  const FitResult result = Trainer(options).run();
  CHECK_FALSE(std::filesystem::exists(options.out / "epoch-000002.safetensors"));
  const Checkpoint kept = read_checkpoint(options.out / "epoch-000004.safetensors");
  CHECK(kept.info.epochs_done == 4);
  CHECK(kept.info.step == 8);
  for (const auto& [name, tensor] : kept.tensors) CHECK_FALSE(is_for_training(name));
  // best.safetensors is the epoch of the least loss
  const auto csv = read_csv(options.out / "results.csv");
  std::size_t least = 1;
  for (std::size_t line = 2; line < csv.size(); ++line) {
    if (std::stod(csv[line][6]) < std::stod(csv[least][6])) least = line;
  }
  CHECK(result.done.best_epoch == static_cast<std::int64_t>(least));
  CHECK(read_checkpoint(options.out / "best.safetensors").info.epochs_done ==
        result.done.best_epoch);
  options.monitor = "map";
  options.out = bench.dir / "other";
  check_error(
      Exit::configuration,
      "--monitor map: is a metric of the val split, for which the store has no ground truth",
      [&] { Trainer other(options); });
}

TEST_CASE(
    "frozen layers stay as they began, in the second stage they train; a resumed run is in the "
    "right stage, bit for bit") {
  RunBench bench({.train = 8, .val = 0});
  Trainer(bench.options("begin", 1)).run();
  const auto options_of = [&](const std::string& run) {
    FitOptions options = bench.options(run, 3);
    options.init = bench.dir / "begin";
    options.ema = 0;
    options.freeze = "backbone";
    options.freeze_epochs = 2;
    options.freeze_lr = 0.002;
    return options;
  };
  FitOptions options = options_of("stopped");
  train_until(options, 3);
  const auto begun = bench.dir / "begin/best.safetensors";
  CHECK(has_backbone_of(begun, options.out));
  options.resume = true;
  Trainer(options).run();
  CHECK(bench.noted("all layers train from step 4 on"));
  CHECK_FALSE(has_backbone_of(begun, options.out));
  Trainer(options_of("straight")).run();
  check_same_tensors(bench.dir / "straight/last.safetensors", options.out / "last.safetensors");
  const auto csv = read_csv(bench.dir / "straight/results.csv");
  CHECK(std::stod(csv[1][7]) ==
        doctest::Approx(0.00171).epsilon(0.01));  // 0.002 * (0.01 + 0.99 * (1 + cos(pi / 4)) / 2)
  CHECK(std::stod(csv[3][7]) ==
        doctest::Approx(0.000505).epsilon(0.01));  // 0.001 * (0.01 + 0.99 / 2)
  FitOptions impatient = options_of("impatient");
  impatient.epochs = 9;
  impatient.monitor = "loss";
  impatient.patience = 1;
  impatient.min_delta = 1e9;
  CHECK(Trainer(impatient).run().done.epochs_done ==
        4);  // two frozen ones, which do not count, the first that counts and one more
  FitOptions random = options_of("random");
  random.init.clear();
  const Trainer of_random(random);
  CHECK(bench.noted(
      "--freeze without --init or --pretrained: the frozen layers keep their random start"));
  FitOptions wrong = options_of("wrong");
  wrong.freeze = "bakcbone";
  check_error(Exit::usage,
              "--freeze: unknown stage, layer or pattern of layers 'bakcbone'; did you mean "
              "'backbone'? known: ",
              [&] { Trainer other(wrong); });
}

TEST_CASE("the schedule of a run is plotted from the store, without a run") {
  RunBench bench;
  FitOptions options = bench.options("never", 50);
  options.schedule = "step";
  options.warmup = 0;
  const SchedulePlot plot = schedule_plot(options);
  CHECK(plot.title == "learning rate: step, 100 steps of 4 pictures in 50 epochs");
  REQUIRE(plot.rates.size() == 100);
  CHECK(plot.rates[33] == doctest::Approx(0.001));
  CHECK(plot.rates[34] == doctest::Approx(0.0001));
  CHECK(plot.rates[99] == doctest::Approx(0.00001));
  CHECK(plot.steps_per_epoch == 2);
  CHECK_FALSE(std::filesystem::exists(options.out));
}

TEST_CASE("each session of a run has a file of curves of its own, and none of them ends a run") {
  RunBench bench;
  FitOptions options = bench.options("run", 3);
  options.log_every = 1;
  train_until(options, 3);
  const auto files = [&] {
    std::set<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(options.out / "tensorboard"))
      found.insert(entry.path());
    return found;
  };
  REQUIRE(files().size() == 1);
  const std::string first = read_file(*files().begin());
  for (const char* tag :
       {"loss/total", "loss/box_xy", "training/lr", "epoch/loss", "val/map50_95"}) {
    CAPTURE(tag);
    CHECK(first.find(tag) != std::string::npos);
  }
  options.resume = true;
  train_until(options, 5);
  CHECK(files().size() == 2);
  CHECK(read_file(*files().begin()) == first);

  // Somebody put a file where the folder was.
  std::filesystem::remove_all(options.out / "tensorboard");
  bench.dir.write("run/tensorboard", "mine");
  CHECK(Trainer(options).run().done.step == 6);
  CHECK(bench.noted("TensorBoard gets no more curves of this session: "));
  CHECK(read_file(options.out / "tensorboard") == "mine");
}

TEST_CASE("a run that goes on with another number of threads says so, on the same number nothing") {
  RunBench bench({.train = 8, .val = 0});
  FitOptions options = bench.options("run", 2);
  options.threads = 1;
  train_until(options, 1);
  const auto used = [&] {
    const std::string text =
        read_checkpoint(options.out / "last.safetensors", true).info.configuration_json;
    return nlohmann::json::parse(text).at("used").at("threads").get<int>();
  };
  CHECK(used() == 1);
  options.resume = true;
  train_until(options, 2);
  CHECK_FALSE(bench.noted("CPU thread"));
  options.threads = 2;
  train_until(options, 3);
  CHECK(
      bench.noted("resumed: 2 CPU threads per process, was 1: --threads 1 goes on to the bit, any "
                  "other number rounds differently"));
  CHECK(used() == 2);
}

TEST_CASE("a val split without ground truth counts as none: the newest epoch is the best") {
  RunBench bench({.train = 8, .val = 2, .unlabelled_val = true});
  FitOptions options = bench.options("run", 2);
  const FitResult result = Trainer(options).run();
  CHECK(
      bench.noted("none of the 2 pictures of split 'val' has ground truth: no metrics, "
                  "best.safetensors will be the newest epoch's weights"));
  CHECK_FALSE(result.metrics);
  CHECK(result.done.best_epoch == 0);
  CHECK(read_csv(options.out / "results.csv")[2][10].empty());
  CHECK(read_checkpoint(options.out / "best.safetensors").info.step == 4);
  options.out = bench.dir / "patient";
  options.patience = 3;
  check_error(Exit::configuration,
              "--patience: goes by a metric of the val split, for which the store has no ground "
              "truth; add --monitor loss",
              [&] { Trainer other(options); });
}

TEST_CASE("until something is found the newest epoch is the best") {
  RunBench bench;
  FitOptions options = bench.options("run", 3);
  options.lr = 1e-9;
  options.seed = 2;
  const FitResult result = Trainer(options).run();
  REQUIRE(result.metrics);
  REQUIRE(result.done.best_map == 0);
  CHECK(result.done.best_epoch == 3);
  CHECK(read_checkpoint(options.out / "best.safetensors").info.step == 6);
}
