#include <doctest/doctest.h>

#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/schedules/schedule.h"

using namespace letterpress;

namespace {

struct Budget {
  const char* model;
  int steps;
  double lr;
};

/// Loss per normaliser at the first and at the last step, and the metrics afterwards on the same
/// pictures.
struct Learned {
  double first = 0, last = 0;
  DetectionMetrics metrics;
};

Learned learn(const Budget& budget) {
  const TempDir dir;
  DrawnStore{.side = 64, .train = 6, .val = 0}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto pictures = reader.pictures("train");
  const AnchorChoice anchors = choose_anchors("auto", budget.model, reader, pictures, nullptr);
  RunModel model(make_graph(budget.model, reader.snapshot(), anchors), {.ema = 0}, torch::kCPU);
  BatchLoader loader(
      reader,
      training_sequence(pictures, {.seed = 1, .global_batch = 6, .first_clean_epoch = 0}, 0, 1), 0,
      {.batch = 6, .threads = 1});
  DeviceFeed feed(loader, torch::kCPU, torch::kFloat);
  const ScheduleOptions schedule{.lr = budget.lr, .warmup_steps = 5};
  Learned learned;
  for (int step = 0; step < budget.steps; ++step) {
    model.step().accumulate(*feed.next());
    const torch::Tensor totals = model.step().update(learning_rate(schedule, step, budget.steps));
    const std::int64_t terms = totals.size(0) - 2;
    (step == 0 ? learned.first : learned.last) =
        (totals.narrow(0, 0, terms).sum() / totals[terms]).item<double>();
  }
  const auto metrics = evaluate(model.network(), reader, pictures, {.batch = 6});
  REQUIRE(metrics);
  MESSAGE(std::string(budget.model)
          << ": mAP50 " << metrics->map50 << ", mAP50-95 " << metrics->map);
  learned.metrics = *metrics;
  return learned;
}

}  // namespace

TEST_CASE("yolov3-tiny learns 6 drawn pictures at 64 by heart: mAP50 > 0.95") {
  const Learned learned = learn({"yolov3-tiny", 120, 0.001});
  CHECK(learned.last <
        learned.first / 4);  // cross-entropy with centres between 0 and 1 does not go to 0
  CHECK(learned.metrics.map50 > 0.95);
}

TEST_CASE("yolov8n and yolo11n learn 6 drawn pictures at 64 by heart: mAP50 > 0.95") {
  for (const char* model : {"yolov8n", "yolo11n"}) {
    CAPTURE(model);
    const Learned learned = learn({model, 240, 0.004});
    CHECK(learned.last < learned.first / 2);  // entropies of soft targets do not go to 0
    CHECK(learned.metrics.map50 > 0.95);
  }
}
