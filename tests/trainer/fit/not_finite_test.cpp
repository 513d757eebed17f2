#include "tests/message_of.h"
#include "tests/trainer/fit/run_bench.h"
#include "trainer/fit/opening/diverged.h"

using namespace letterpress;

TEST_CASE("a loss that is not finite stops the run and names the pictures") {
  RunBench bench;
  FitOptions options = bench.options("wild", 40);
  options.lr = 1e5;
  options.clip = 0;
  options.warmup = 0;
  options.ema = 0;
  options.optimiser = "sgd";
  options.log_every = 1;
  CHECK_THROWS_WITH_AS(Trainer(options).run(), doctest::Contains("the loss is not finite ("),
                       Diverged);
  check_error(Exit::data, "; its rows, the worst first: train", [&] {
    options.resume = std::filesystem::exists(options.out / "last.safetensors");
    Trainer(options).run();
  });
}

TEST_CASE(
    "of a large batch the picture whose loss is not finite is named first, wherever it is in it") {
  const DrawnStore drawn{.train = 24, .val = 0, .class_names = {"red", "green", "blue", "odd"}};
  RunBench bench(drawn);
  FitOptions options = bench.options("run", 1);
  options.batch = 24;
  options.log_every = 1;
  options.class_weights = "1,1,1,3e38";
  // Row i of the store is the picture train<i>, in every store that is drawn so.
  std::int64_t culprit = -1;
  options.hooks.fed = [&](std::int64_t, const std::vector<RowPlace>& rows) {
    culprit = rows.at(20).row;
  };
  Trainer(options).run();
  options.hooks.fed = nullptr;
  DrawnStore planted = drawn;
  planted.odd = static_cast<int>(culprit);
  planted.publish(bench.dir / "planted");
  options.store = bench.dir / "planted";
  options.out = bench.dir / "stopped";
  const std::string name = "train" + std::to_string(culprit) + ".png (";
  check_error(Exit::data, "step 1: the loss is not finite (", [&] { Trainer(options).run(); });
  check_error(Exit::data, "); its rows, the worst first: " + name, [&] { Trainer(options).run(); });
  check_error(Exit::data, " and 8 more; look at them", [&] { Trainer(options).run(); });
}

TEST_CASE(
    "a hundred steps in a row whose gradients are not finite end the run, though its loss is "
    "finite") {
  RunBench bench({.train = 100, .val = 0});
  FitOptions options = bench.options("run", 10);
  options.batch = 2;
  options.freeze = "all-but-head";
  options.class_weights = "1e25,1e25,1e25";  // the squares of their gradients are not finite
  const std::string message = message_of([&] { Trainer(options).run(); });
  CAPTURE(message);
  CHECK(
      message.starts_with("65 step 100: the training diverged: 100 steps in a row changed nothing, "
                          "their gradients are not finite, though"));
  CHECK(message.find(" at the last one); its rows, the worst first: train") != std::string::npos);
}

TEST_CASE(
    "a hundred steps in a row in which no box becomes a target end the run, over a resumption too, "
    "though its loss is finite") {
  RunBench bench({.train = 100, .val = 0});
  const auto options_of = [&](const std::string& run) {
    FitOptions options = bench.options(run, 3);
    options.model = "yolov8n";
    options.input_size = 32;
    options.batch = 2;
    options.lr = 10;
    options.log_every = 1;
    return options;
  };
  const std::string message = message_of([&] { Trainer(options_of("straight")).run(); });
  CAPTURE(message);
  CHECK(message.starts_with("65 step 1"));
  CHECK(message.find(": the training diverged: for 100 steps in a row no box of their pictures "
                     "became a target") != std::string::npos);
  CHECK(message.find("; begin anew with a lower --lr") != std::string::npos);
  FitOptions options = options_of("stopped");
  const FitResult stopped = train_until(options, 60);
  CHECK(stopped.done.steps_without_target > 30);
  CHECK(has_diverged(stopped.done));
  options.resume = true;
  CHECK(message_of([&] { Trainer(options).run(); }) == message);
}
