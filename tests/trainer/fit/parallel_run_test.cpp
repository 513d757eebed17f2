#include <csignal>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "tests/agreement.h"
#include "tests/trainer/fit/evaluation/same_boxes.h"
#include "tests/trainer/fit/train_on_ranks.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/evaluation/share_results.h"
#include "trainer/fit/options/ranks_of_run.h"

using namespace letterpress;

namespace {

// A SIGTERM arrives at some rank after `step`.
FitResult train_on_until(int ranks, FitOptions options, std::int64_t step) {
  StopRequest stop;
  options.hooks.after_step = [&stop, step](std::int64_t done) {
    if (done == step) stop.make(SIGTERM);
  };
  return train_on(ranks, options, stop);
}

}  // namespace

TEST_CASE("2 and 3 ranks lose what one rank loses, and write the same one folder") {
  RunBench bench({.train = 8, .val = 5, .views = 2});
  const auto options = [&](const std::string& run) {
    FitOptions wanted = bench.options(run, 2);
    wanted.sync_batch_norm = true;
    wanted.batch = 7;
    return wanted;
  };
  train_on(1, options("1"));
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    const std::string run = std::to_string(ranks);
    const FitResult result = train_on(ranks, options(run));
    CHECK(result.done.step == 3);
    CHECK(result.metrics.has_value());
    CHECK(bench.noted(", one of " + run + " ranks (--ranks)"));
    CHECK(number(bench.dir / run, 1, "loss") ==
          doctest::Approx(number(bench.dir / "1", 1, "loss")).epsilon(5e-3));
    std::set<std::string> names, alone;
    for (const auto& entry : std::filesystem::directory_iterator(bench.dir / run))
      names.insert(entry.path().filename().string());
    for (const auto& entry : std::filesystem::directory_iterator(bench.dir / "1"))
      alone.insert(entry.path().filename().string());
    CHECK(names == alone);
    const Checkpoint one = read_checkpoint(bench.dir / "1/last.safetensors"),
                     many = read_checkpoint(bench.dir / run / "last.safetensors");
    REQUIRE(one.tensors.size() == many.tensors.size());
    for (const auto& [name, tensor] : one.tensors)
      CHECK(many.tensors.at(name).sizes() == tensor.sizes());
    CHECK(one.info.position == many.info.position);
  }
  CHECK(Pin::list(Store::open(bench.dir / "store")).empty());
}

TEST_CASE("validation counts each picture once for any number of ranks, with the metrics of one") {
  RunBench bench({.train = 8, .val = 7});
  const Store store = Store::open(bench.dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto pictures = reader.pictures("val");
  const auto measure = [&](int ranks) {
    std::vector<PictureResult> results;
    DetectionMetrics metrics;
    std::mutex mutex;
    std::int64_t measured = 0;
    on_ranks(ranks, [&](RankGroup* group) {
      Network network(make_model("yolov3-tiny", {.classes = 3, .side = 64}));
      network.initialise(5);
      const EvaluateOptions options{.batch = 2, .group = group, .evaluated = [&](std::int64_t n) {
                                      const std::lock_guard lock(mutex);
                                      measured += n;
                                    }};
      const auto own = detect_pictures(network, reader, pictures, options);
      const DetectionMetrics own_metrics = *evaluate(network, reader, pictures, options);
      const std::lock_guard lock(mutex);
      if (!group || group->is_first()) std::tie(results, metrics) = std::tuple(*own, own_metrics);
    });
    CHECK(measured == 2 * 7);
    return std::tuple(results, metrics);
  };
  const auto [alone, metrics] = measure(1);
  for (const int ranks : {2, 3, 8}) {
    CAPTURE(ranks);
    const auto [shared, shared_metrics] = measure(ranks);
    REQUIRE(shared.size() == 7);
    for (std::size_t i = 0; i < shared.size(); ++i) {
      REQUIRE(shared[i].ground_truths.size() == alone[i].ground_truths.size());
      CHECK(shared[i].ground_truths[0].area == alone[i].ground_truths[0].area);
      CHECK(shared[i].found.size() > 10);
    }
    check_agreement("ours",
                    "1 and " + std::to_string(ranks) + " ranks: scores and places of detections",
                    furthest_apart(alone, shared, 128), 1e-5);
    CHECK(shared_metrics.map == doctest::Approx(metrics.map).epsilon(1e-6));
    CHECK(shared_metrics.map50 == doctest::Approx(metrics.map50).epsilon(1e-6));
    CHECK(shared_metrics.recall == doctest::Approx(metrics.recall).epsilon(1e-6));
  }
}

TEST_CASE(
    "resumed with as many ranks, a run goes on to the bit; every rank stops at the step of one "
    "rank's signal") {
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    RunBench bench;
    train_on(ranks, bench.options("straight", 4));
    FitOptions options = bench.options("stopped", 4);
    const FitResult stopped = train_on_until(ranks, options, 3);
    CHECK(stopped.signal == SIGTERM);
    CHECK(stopped.done.step == 3);
    options.resume = true;
    CHECK(train_on(ranks, options).done.step == 8);
    check_same_tensors(bench.dir / "straight/last.safetensors", options.out / "last.safetensors");
    check_same_results(bench.dir / "straight", options.out);
  }
}

TEST_CASE("a run goes on with 1, then 2, then 3 ranks, each picture once in every epoch") {
  RunBench bench({.train = 7, .val = 0});
  FitOptions options = bench.options("run", 4);
  options.batch = 3;
  options.resume = true;
  options.ema = 0;
  // What the steps were fed, by whichever rank.
  std::map<std::int64_t, std::multiset<std::int64_t>> rows_of_step;
  std::mutex mutex;
  options.hooks.fed = [&](std::int64_t step, const std::vector<RowPlace>& rows) {
    const std::lock_guard lock(mutex);
    for (const RowPlace& place : rows) rows_of_step[step].insert(place.row);
  };
  int ranks = 1;
  for (const std::int64_t stop : {3, 6, 100}) {
    CAPTURE(ranks);
    const FitResult result = train_on_until(ranks++, options, stop);
    CHECK(result.done.step ==
          std::min<std::int64_t>(stop, 10));  // 4 epochs of 7 pictures are 28, in threes
  }
  CHECK(read_checkpoint(options.out / "last.safetensors").info.position == 30);
  CHECK(read_csv(options.out / "results.csv").size() == 5);

  REQUIRE(rows_of_step.size() == 10);
  std::multiset<std::int64_t> seen;
  for (std::int64_t step = 1; step <= 10; ++step) {
    CAPTURE(step);
    CHECK(rows_of_step[step].size() == 3);
    seen.insert(rows_of_step[step].begin(), rows_of_step[step].end());
    // An epoch's 7 pictures: after so many samples each was seen as often as epochs are over, or
    // once more.
    const std::size_t whole = static_cast<std::size_t>(3 * step) / 7;
    for (std::int64_t picture = 0; picture < 7; ++picture) {
      CHECK(seen.count(picture) >= whole);
      CHECK(seen.count(picture) <= whole + 1);
    }
  }
}

TEST_CASE("layers that thaw in the middle of a run take part in the sums from then on") {
  RunBench bench({.train = 8, .val = 0});
  FitOptions options = bench.options("run", 2);
  options.freeze = "backbone";
  options.freeze_epochs = 1;
  options.init = bench.dir / "first";
  train_on(1, bench.options("first", 1));
  train_on(2, options);
  const Checkpoint first = read_checkpoint(bench.dir / "first/last.safetensors"),
                   last = read_checkpoint(options.out / "last.safetensors");
  CHECK_FALSE(first.tensors.at("conv1.weight").equal(last.tensors.at("conv1.weight")));
}

TEST_CASE(
    "what a batch cannot be cut into is refused before anything starts, and wishes that contradict "
    "each other") {
  RunBench bench;
  FitOptions options = bench.options("run", 1);
  const auto refuses = [&](Exit exit, const std::string& text,
                           const RankAssignment& assignment = {}, int devices = 0) {
    check_error(exit, text, [&] { ranks_to_start(options, assignment, devices); });
  };
  options.ranks = 5;
  refuses(Exit::configuration,
          "--batch 4 over 5 ranks leaves some without a picture; raise --batch, which counts the "
          "pictures of all ranks");
  options.ranks = 2;
  options.accumulate = 4;
  refuses(Exit::configuration, "--batch 4 over 2 ranks in 4 parts leaves some without a picture");
  options.accumulate = 1;
  refuses(Exit::usage, "--ranks 2: torchrun has started 4 ranks already; leave --ranks out",
          {.world_size = 4, .launcher = "torchrun"});
  CHECK(ranks_to_start(options, {}, 0) == 2);
  CHECK(ranks_to_start(options, {.world_size = 2, .launcher = "--ranks"}, 0) == 1);
  options.device = "auto";
  refuses(
      Exit::usage,
      "--ranks 2: shares the CPU, --device is auto; add --device cpu, or use --gpus or --devices",
      {}, 2);
  options.devices = "0,1";
  refuses(Exit::usage,
          "--ranks 2: --gpus and --devices start one rank per device; leave --ranks out", {}, 2);
  options.ranks = 1;
  CHECK(ranks_to_start(options, {}, 2) == 2);
  options.device = "cuda:1";
  refuses(Exit::usage, "--device cuda:1 and --gpus or --devices are both given", {}, 2);
  options.device = "auto";
  options.cuda_graph = "on";
  refuses(
      Exit::usage,
      "--cuda-graph on is for one process, the flags start 2 ranks; leave it out, or train on one "
      "device",
      {}, 2);
  options.devices = "1";
  CHECK(ranks_to_start(options, {}, 2) == 1);
  options.devices.clear();
  refuses(Exit::usage,
          "--cuda-graph on is for one process, torchrun has started 4 ranks; leave it out",
          {.world_size = 4, .launcher = "torchrun"}, 4);
}

TEST_CASE("each rank has a device and threads of its own") {
  FitOptions options;
  const RankAssignment second{
      .rank = 3, .world_size = 4, .local_rank = 1, .local_world_size = 2, .launcher = "torchrun"};
  CHECK(options_of_rank(options, second, 2).device == "cuda:1");
  CHECK(options_of_rank(options, second, 0).device == "auto");
  CHECK(options_of_rank(options, second, 0).threads >= 1);
  // The graph of a step holds no exchange with other ranks.
  CHECK(options_of_rank(options, second, 2).cuda_graph == "off");
  CHECK(options_of_rank(options, {}, 2).cuda_graph == "auto");
  options.devices = "3,2";
  CHECK(options_of_rank(options, second, 4).device == "cuda:2");
  check_error(Exit::configuration,
              "--devices 3,2: rank 7 is number 3 on this host and has no device; start fewer ranks "
              "per host",
              [&] { options_of_rank(options, {.rank = 7, .world_size = 8, .local_rank = 2}, 4); });
  options.devices.clear();
  check_error(Exit::configuration,
              "rank 3 is number 2 on this host, which has 1 CUDA devices; start fewer ranks per "
              "host, give each its own CUDA_VISIBLE_DEVICES (srun --gpus-per-task=1), or use "
              "--device cpu",
              [&] { options_of_rank(options, second, 1); });
  RankAssignment alone = second;
  alone.sees_one_device = true;
  CHECK(options_of_rank(options, alone, 1).device == "cuda:0");
  RankAssignment unknown = second;
  unknown.knows_local_rank = false;
  unknown.local_rank = 0;
  const std::string unknown_text =
      "torchrun does not say which of this host's ranks rank 3 is, so it cannot choose among 4 "
      "CUDA devices; set LOCAL_RANK or MPI_LOCALRANKID, or CUDA_VISIBLE_DEVICES to one device per "
      "rank";
  check_error(Exit::configuration, unknown_text, [&] { options_of_rank(options, unknown, 4); });
  options.gpus = "all";
  check_error(Exit::configuration, unknown_text, [&] { options_of_rank(options, unknown, 4); });
  options.gpus.clear();
  options.device = "cuda:0";
  check_error(Exit::usage, "--device cuda:0: one device serves one rank, torchrun started 4 ranks",
              [&] { options_of_rank(options, second, 2); });
  CHECK(options_of_rank(options, {}, 1).device == "cuda:0");
  CHECK(options_of_rank(options, {}, 1).threads == 0);
}

TEST_CASE(
    "results travel as bytes and come back whole; bytes of another number of pictures are "
    "refused") {
  std::vector<PictureResult> results(5);
  results[1].ground_truths.push_back(
      {.box = {1, 2, 3, 4}, .class_id = 2, .area = 12, .crowd = true});
  results[4].found.push_back({.box = {5, 6, 7, 8}, .class_id = 1, .score = 0.25});
  const std::string bytes = pack_results(results, 1, 3);
  std::vector<PictureResult> back(5);
  unpack_results(bytes, 1, 3, back);
  CHECK(back[1].ground_truths.at(0).area == 12);
  CHECK(back[1].ground_truths.at(0).crowd);
  CHECK(back[4].found.at(0).score == 0.25);
  for (const std::string& wrong : {bytes + "x", bytes.substr(0, bytes.size() - 1), std::string()})
    check_error(Exit::bug,
                "validation: a rank sent results of another number of pictures than it has",
                [&] { unpack_results(wrong, 1, 3, back); });
}
