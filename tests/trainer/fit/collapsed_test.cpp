#include "tests/trainer/fit/run_bench.h"

using namespace letterpress;

namespace {

FitOptions short_run(RunBench& bench, const std::string& run, double lr) {
  FitOptions options = bench.options(run, 3);
  options.model = "yolov3-tiny";
  options.lr = lr;
  options.warmup = 0;
  options.schedule = "constant";  // the last epoch is as far off as the first
  return options;
}

}  // namespace

TEST_CASE("a model that a learning rate threw far off has diverged, though its loss is finite") {
  RunBench bench;
  const FitResult result = Trainer(short_run(bench, "run", 10)).run();
  CHECK(result.ending == Ending::complete);
  CHECK(has_collapsed(result.done));
  CHECK(has_diverged(result.done));
  CHECK(result.done.most_epoch_loss > 100 * result.done.first_loss);
  CHECK_FALSE(bench.noted("nothing was ever found"));
}

TEST_CASE("without a val split a model that is far off has diverged, too") {
  RunBench bench({.train = 8, .val = 0});
  const FitResult result = Trainer(short_run(bench, "run", 10)).run();
  CHECK(has_diverged(result.done));
  CHECK_FALSE(found_nothing(result.done));
}

TEST_CASE("three epochs from scratch that find nothing are not a failure, and a note says so") {
  RunBench bench;
  FitOptions options = short_run(bench, "run", 1e-5);
  // Boxes of anchors a thousand frames wide cover the picture: none is half a rectangle's, however
  // the first weights are drawn.
  options.anchors = "64000,64000,64000,64000,64000,64000,64000,64000,64000,64000,64000,64000";
  const FitResult result = Trainer(options).run();
  CHECK(found_nothing(result.done));
  CHECK_FALSE(has_diverged(result.done));
  CHECK(bench.noted("nothing was ever found in the val split: mAP50 0 in all 3 epochs"));
}
