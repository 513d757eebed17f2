#include "trainer/fit/picture_losses.h"

#include "tests/trainer/fit/run_bench.h"
#include "trainer/checkpoint/network_weights.h"

using namespace letterpress;

namespace {

/// Places of the pictures by their losses, the worst first.
std::vector<std::int64_t> rows_by_loss(std::vector<PictureLoss> losses) {
  std::stable_sort(losses.begin(), losses.end(), [](const PictureLoss& a, const PictureLoss& b) { return a.loss > b.loss; });
  std::vector<std::int64_t> rows;
  for (const PictureLoss& one : losses) rows.push_back(one.place.row);
  return rows;
}

/// A run on a store, and the losses that its best checkpoint has on the train split.
std::vector<PictureLoss> losses_of_run(RunBench& bench, const FitOptions& options, const EvaluateOptions& evaluating) {
  Trainer(options).run();
  const Checkpoint checkpoint = read_checkpoint(options.out / "last.safetensors", true);
  const Store store = Store::open(bench.dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto network = network_for_use(checkpoint, torch::kCPU);
  const auto loss = make_loss(network->graph());
  const auto losses = picture_losses(*network, *loss, reader, reader.pictures("train"), evaluating);
  REQUIRE(losses);
  CHECK_FALSE(network->is_training());
  return *losses;
}

}  // namespace

TEST_CASE("a planted wrong label is among the worst pictures of a run that has learned the others") {
  RunBench bench({.side = 64, .train = 32, .val = 0, .mislabelled = 7});
  FitOptions options = bench.options("run", 25);
  options.model = "yolov8n";
  options.batch = 8;
  options.lr = 0.002;
  options.ema = 0;
  const auto losses = losses_of_run(bench, options, {.batch = 8});
  REQUIRE(losses.size() == 32);
  for (const PictureLoss& one : losses) {
    CHECK(one.labels == 2);
    CHECK(one.terms.size() == 3);
    CHECK(one.loss == doctest::Approx(one.terms[0] + one.terms[1] + one.terms[2]));
  }
  const auto rows = rows_by_loss(losses);
  const auto rank = std::find(rows.begin(), rows.end(), 7) - rows.begin();
  MESSAGE("the wrong label is number " << rank + 1 << " of 32");
  CHECK(rank < 3);
}

TEST_CASE("a planted wrong class of a whole picture is the worst of all, and losses do not depend on the batch") {
  RunBench bench({.side = 32, .train = 24, .val = 0, .mislabelled = 5, .whole_pictures = true});
  FitOptions options = bench.options("run", 20);
  options.model = "minigooglenet";
  options.batch = 8;
  options.ema = 0;
  const auto losses = losses_of_run(bench, options, {.batch = 24});
  CHECK(rows_by_loss(losses).front() == 5);
  CHECK(losses.front().labels == 1);

  const Store store = Store::open(bench.dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto network = network_for_use(read_checkpoint(options.out / "last.safetensors", true), torch::kCPU);
  const auto loss = make_loss(network->graph());
  const auto others = picture_losses(*network, *loss, reader, reader.pictures("train"), {.batch = 5});
  REQUIRE(others);
  for (std::size_t i = 0; i < losses.size(); ++i) CHECK((*others)[i].loss == doctest::Approx(losses[i].loss).epsilon(1e-4));
  CHECK_FALSE(picture_losses(*network, *loss, reader, reader.pictures("train"), {.stop = [] { return true; }}));
}
