// Models that give whole pictures a class, from the store to metrics.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "tests/trainer/fit/run_bench.h"
#include "tests/trainer/parallel/ranks_in_threads.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/options/class_weights.h"

using namespace letterpress;

namespace {

struct ClassifierBench : RunBench {
  ClassifierBench()
      : RunBench({.side = 32, .train = 24, .val = 10, .views = 2, .whole_pictures = true}) {}

  FitOptions fit(const std::string& run, int epochs) {
    FitOptions made = options(run, epochs);
    made.model = "narrow-minigooglenet";
    made.batch = 8;
    return made;
  }
};

}  // namespace

TEST_CASE(
    "minigooglenet learns 24 drawn pictures at 32: top-1 in results.csv, checkpoint and summary, "
    "best by it") {
  ClassifierBench bench;
  FitOptions options = bench.fit("run", 32);
  options.lr = 0.004;
  const FitResult result = Trainer(options).run();
  REQUIRE(result.metrics);
  CHECK(result.metrics->top1.value() >= 0.9);
  CHECK(result.best_top1.value() >= result.metrics->top1.value());
  const auto csv = read_csv(options.out / "results.csv");
  CHECK(csv[0] == std::vector<std::string>{"epoch", "step", "cross_entropy", "loss", "lr",
                                           "images_per_s", "data_wait_percent", "top1", "val_loss",
                                           "seconds"});
  REQUIRE(csv.size() == 33);
  CHECK(std::stod(csv[32][7]) == doctest::Approx(result.metrics->top1.value()).epsilon(1e-4));
  CHECK(std::stod(csv[1][2]) > std::stod(csv[32][2]));
  CHECK(bench.noted(", top-1 "));
  const Checkpoint best = read_checkpoint(options.out / "best.safetensors");
  CHECK(best.info.metrics.at("top1") == result.best_top1.value());
  CHECK(best.info.graph.mean == std::vector<double>{0.4, 0.2, 0.1});
}

TEST_CASE("a classifier's run goes on bit for bit, its dropout too") {
  ClassifierBench bench;
  check_resumes_to_the_bit([&](const std::string& run) { return bench.fit(run, 2); }, 4, 6);
}

TEST_CASE("right pictures are counted once, over any number of ranks") {
  ClassifierBench bench;
  const Store store = Store::open(bench.dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto pictures = reader.pictures("val");
  std::vector<ClassMetrics> seen(4);
  for (const int ranks : {1, 2, 3}) {
    on_ranks(ranks, [&](RankGroup* group) {
      Network network(make_graph("minigooglenet", reader.snapshot(), {}));
      network.initialise(3);
      const auto metrics =
          evaluate_classes(network, reader, pictures, {.batch = 4, .group = group});
      if (!group || group->is_first()) seen[static_cast<std::size_t>(ranks)] = *metrics;
    });
  }
  // By hand: the network's answers picture by picture.
  Network network(make_graph("minigooglenet", reader.snapshot(), {}));
  network.initialise(3);
  network.eval();
  ClassMetrics wanted{.pictures = {0, 0, 0}, .right = {0, 0, 0}};
  const torch::NoGradGuard no_gradient;
  for (const PictureRows& picture : pictures) {
    const ShardReader& shard = reader.shard(picture.clean.shard);
    torch::Tensor bytes = torch::empty({1, 32, 32, 3}, torch::kByte);
    shard.read_images(picture.clean.row, 1, bytes.data_ptr<std::uint8_t>());
    const auto answer = network.forward(bytes.permute({0, 3, 1, 2}).to(torch::kFloat) / 255)[0]
                            .argmax(1)
                            .item<std::int64_t>();
    const auto label = static_cast<std::size_t>(shard.label(picture.clean.row));
    ++wanted.pictures[label];
    if (static_cast<std::size_t>(answer) == label) ++wanted.right[label];
  }
  for (const int ranks : {1, 2, 3}) {
    CAPTURE(ranks);
    CHECK(seen[static_cast<std::size_t>(ranks)].pictures == wanted.pictures);
    CHECK(seen[static_cast<std::size_t>(ranks)].right == wanted.right);
  }
  const double right = static_cast<double>(
      std::accumulate(wanted.right.begin(), wanted.right.end(), std::int64_t{0}));
  CHECK(seen[1].top1 == doctest::Approx(right / 10));
}

TEST_CASE(
    "labels that a model does not learn, and metrics that it does not have, are refused with what "
    "to take") {
  ClassifierBench whole;
  RunBench boxes({.side = 32});
  const auto refused = [](FitOptions options, const std::string& model, const std::string& monitor,
                          const std::string& text) {
    options.model = model;
    options.monitor = monitor;
    check_error(Exit::configuration, text, [&] { Trainer{options}; });
  };
  refused(whole.fit("detector", 1), "yolov8n", "",
          "store: its labels are classes of whole pictures, model yolov8n finds boxes; take a "
          "model for whole pictures: minigooglenet");
  refused(whole.fit("monitored", 1), "minigooglenet", "map50",
          "--monitor map50: is not a metric of classifiers; use top1 or loss");
  refused(boxes.options("classifier", 1), "minigooglenet", "",
          "store: its labels are boxes, model minigooglenet gives whole pictures a class; take a "
          "model that finds boxes: yolov8n");
  refused(boxes.options("top1", 1), FitOptions{}.model, "top1",
          "--monitor top1: is not a metric of models that find boxes; use map, map50, precision, "
          "recall, recall@precision=SHARE, precision@recall=SHARE or loss");
}

TEST_CASE("class weights are counted from the store, or given, one per class") {
  ClassifierBench bench;
  const Snapshot snapshot = *Store::open(bench.dir / "store").latest();  // 16 red, 8 green, no blue
  CHECK(with_counted_weights("auto", snapshot) == "0.5,1,8");
  CHECK(with_counted_weights("none", snapshot) == "none");
  CHECK(class_weights_from("0.5,1,8") == std::vector<double>{0.5, 1, 8});
  CHECK(class_weights_from("none").empty());
  for (const std::string wrong : {"1,,2", "a", "1,-1", "0", "1 2", "nan"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(class_weights_from(wrong),
                         ("--class-weights is '" + wrong +
                          "', must be none, auto, or one number over 0 for each class: w,w,...")
                             .c_str(),
                         Error);
  }
  FitOptions options = bench.fit("weighted", 1);
  options.class_weights = "auto";
  options.label_smoothing = 0.1;
  const FitResult result = Trainer(options).run();
  CHECK(std::isfinite(result.last_loss.value()));
  CHECK(bench.noted("\"class-weights\":\"0.5,1,8\""));
  options = bench.fit("few", 1);
  options.class_weights = "1,2";
  check_error(Exit::usage, "class weights: got 2, the model has 3 classes",
              [&] { Trainer{options}; });
  options.class_weights = "none";
  options.label_smoothing = 1;
  check_error(Exit::usage, "--label-smoothing is 1, must be 0 or more and under 1",
              [&] { Trainer{options}; });
}
