#include "trainer/fit/evaluation/picture_losses.h"

#include "tests/trainer/fit/run_bench.h"
#include "trainer/checkpoint/network_weights.h"

using namespace letterpress;

namespace {

/// Places of the pictures by their losses, the worst first.
std::vector<std::int64_t> rows_by_loss(std::vector<PictureLoss> losses) {
  std::stable_sort(losses.begin(), losses.end(),
                   [](const PictureLoss& a, const PictureLoss& b) { return a.loss > b.loss; });
  std::vector<std::int64_t> rows;
  for (const PictureLoss& one : losses) rows.push_back(one.place.row);
  return rows;
}

/// The losses that the last checkpoint of a run has on the train split of a store.
std::vector<PictureLoss> losses_of_run(const FitOptions& options,
                                       const std::filesystem::path& folder,
                                       const EvaluateOptions& evaluating) {
  const Checkpoint checkpoint = read_checkpoint(options.out / "last.safetensors", true);
  const Store store = Store::open(folder);
  const SnapshotReader reader(store, *store.latest());
  const auto network = network_for_use(checkpoint, torch::kCPU);
  const auto loss = make_loss(network->graph());
  const auto losses = picture_losses(*network, *loss, reader, reader.pictures("train"), evaluating);
  REQUIRE(losses);
  CHECK_FALSE(network->is_training());
  return *losses;
}

}  // namespace

TEST_CASE("a picture's loss is the sum of its terms, beside the number of its labels") {
  RunBench bench({.side = 64, .train = 8, .val = 0});
  FitOptions options = bench.options("run", 1);
  options.model = "yolov8n";
  Trainer(options).run();
  const auto losses = losses_of_run(options, options.store, {.batch = 3});
  REQUIRE(losses.size() == 8);
  for (const PictureLoss& one : losses) {
    CHECK(one.labels == 2);
    CHECK(one.terms.size() == 3);
    CHECK(one.loss == doctest::Approx(one.terms[0] + one.terms[1] + one.terms[2]));
  }
}

TEST_CASE(
    "a planted wrong class of a whole picture is the worst of all, and losses do not depend on the "
    "batch") {
  RunBench bench({.side = 32, .train = 24, .val = 0, .whole_pictures = true});
  FitOptions options = bench.options("run", 60);
  options.model = "narrow-minigooglenet";
  options.lr = 0.004;
  options.batch = 8;
  options.ema = 0;
  Trainer(options).run();
  // The same pictures, one of them under another class: labels that came after the run.
  DrawnStore{.side = 32, .train = 24, .val = 0, .mislabelled = 5, .whole_pictures = true}.publish(
      bench.dir / "relabelled");
  const auto losses = losses_of_run(options, bench.dir / "relabelled", {.batch = 24});
  CHECK(rows_by_loss(losses).front() == 5);
  CHECK(losses.front().labels == 1);

  const Store store = Store::open(bench.dir / "relabelled");
  const SnapshotReader reader(store, *store.latest());
  const auto network =
      network_for_use(read_checkpoint(options.out / "last.safetensors", true), torch::kCPU);
  const auto loss = make_loss(network->graph());
  const auto others =
      picture_losses(*network, *loss, reader, reader.pictures("train"), {.batch = 5});
  REQUIRE(others);
  for (std::size_t i = 0; i < losses.size(); ++i)
    CHECK((*others)[i].loss == doctest::Approx(losses[i].loss).epsilon(1e-4));
  CHECK_FALSE(picture_losses(*network, *loss, reader, reader.pictures("train"),
                             {.stop = [] { return true; }}));
}

TEST_CASE("planted wrong classes of boxes are the worst of all: yolov3-tiny") {
  RunBench bench({.side = 96, .train = 12, .val = 0});
  FitOptions options = bench.options("run", 240);
  options.lr = 0.004;
  options.batch = 12;
  options.ema = 0;
  Trainer(options).run();
  // The same pictures, the boxes of one of them under other classes: labels that came after the
  // run.
  DrawnStore{.side = 96, .train = 12, .val = 0, .mislabelled = 7}.publish(bench.dir / "relabelled");
  const auto losses = losses_of_run(options, bench.dir / "relabelled", {.batch = 12});
  CHECK(rows_by_loss(losses).front() == 7);
  const auto told = losses_of_run(options, options.store, {.batch = 12});
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (losses[i].place.row == 7) CHECK(losses[i].loss > 2 * told[i].loss);
    if (losses[i].place.row != 7)
      CHECK(losses[i].loss == doctest::Approx(told[i].loss).epsilon(1e-4));
  }
}
