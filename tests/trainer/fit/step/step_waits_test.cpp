#include <optional>

#include "letterpress/models/graph.h"
#include "tests/trainer/fit/run_bench.h"
#include "tests/trainer/fit/step/whole_step.h"
#include "tests/trainer/waiting_operators.h"

using namespace letterpress;

TEST_CASE(
    "no step of any model waits for the device: forward, loss, backward, clipping, optimiser, "
    "average") {
  for (const std::string name : {"minigooglenet", "yolov3", "yolov3-tiny", "yolov8n", "yolo11n"}) {
    for (const std::string precision : {"fp32", "bf16"}) {
      CAPTURE(name);
      CAPTURE(precision);
      WholeStep step(name, precision, torch::kCPU);
      step();  // the first makes what lives as long as the run
      CHECK(waiting_operators(step) == std::set<std::string>{});
    }
  }
}

TEST_CASE(
    "nor does a step of a training with all that is done on the device, from the loader's batch to "
    "the log") {
  RunBench bench({.train = 8, .val = 0, .views = 2});
  FitOptions options = bench.options("run", 1);
  options.clean_epochs = 0;
  options.on_device = "flip,hsv,mosaic,mixup";
  options.multi_scale = "32-96";
  options.scale_every = 1;
  std::optional<WaitingOperators> watch;
  std::set<std::string> found{"no step"};
  options.hooks.before_step = [&](std::int64_t step) {
    if (step == 2) watch.emplace();
  };
  options.hooks.after_step = [&](std::int64_t step) {
    if (step == 2) found = watch->found();
  };
  Trainer(options).run();
  CHECK(found == std::set<std::string>{});
}
