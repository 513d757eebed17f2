#include "trainer/fit/fit_options.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "trainer/fit/part_options.h"

using namespace letterpress;

namespace {

FitOptions good() { return {.store = "s", .out = "r"}; }

void check_refused(const FitOptions& options, const std::string& text) {
  CAPTURE(text);
  try {
    validate(options);
    FAIL("was accepted");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK_MESSAGE(std::string(error.what()).find(text) != std::string::npos, std::string(error.what()));
  }
}

}  // namespace

TEST_CASE("defaults are valid; each wrong option is refused with its flag, what was got and what it may be") {
  CHECK_NOTHROW(validate(good()));
  const auto with = [](auto change) {
    FitOptions options = good();
    change(options);
    return options;
  };
  check_refused(with([](auto& o) { o.epochs = 0; }), "--epochs is 0, must be 1 or more");
  check_refused(with([](auto& o) { o.batch = 0; }), "--batch is 0, must be 1 or more");
  check_refused(with([](auto& o) { o.accumulate = 3; }), "--accumulate is 3, must be a divisor of --batch");
  check_refused(with([](auto& o) { o.clean_epochs = 41; }), "--clean-epochs is 41, must be 0 to --epochs, or -1 for a tenth");
  check_refused(with([](auto& o) { o.lr = -1; }), "--lr is -1, must be 0 (the optimiser's own) or more");
  check_refused(with([](auto& o) { o.warmup = -1; }), "--warmup is -1");
  check_refused(with([](auto& o) { o.threads = -2; }), "--threads is -2");
  check_refused(with([](auto& o) { o.readers = -2; }), "--readers is -2");
  check_refused(with([](auto& o) { o.log_every = 0; }), "--log-every is 0");
  check_refused(with([](auto& o) { o.checkpoint_minutes = 0; }), "--checkpoint-minutes is 0");
  check_refused(with([](auto& o) { o.snapshot = "-1"; }), "--snapshot is '-1', must be a generation's number or 'latest'");
  check_refused(with([](auto& o) { o.precision = "fp8"; }), "--precision is 'fp8', must be fp32 or bf16");
  check_refused(with([](auto& o) { o.store.clear(); }), "--store is empty");
  check_refused(with([](auto& o) { o.out.clear(); }), "--out is empty");
  check_refused(with([](auto& o) { o.optimiser = "adm"; }), "did you mean 'adam'");
  check_refused(with([](auto& o) { o.schedule = "cosin"; }), "did you mean 'cosine'");
  check_refused(with([](auto& o) { o.ema = 1; }), "decay is 1");
}

TEST_CASE("what is left to a rule follows it: learning rate by optimiser, a tenth of the epochs clean, warm-up at most a tenth") {
  CHECK(learning_rate_of({.optimiser = "adamw"}) == 0.001);
  CHECK(learning_rate_of({.optimiser = "sgd"}) == 0.01);
  CHECK(learning_rate_of({.optimiser = "sgd", .lr = 0.5}) == 0.5);
  CHECK(clean_epochs_of({.epochs = 40}) == 4);
  CHECK(clean_epochs_of({.epochs = 9}) == 0);
  CHECK(clean_epochs_of({.epochs = 9, .clean_epochs = 2}) == 2);
  CHECK(schedule_options({.warmup = 1.5}, 17.3, 693).warmup_steps == 26);
  CHECK(schedule_options({.warmup = 100}, 17.3, 693).warmup_steps == 69);
}

TEST_CASE("a run is resumed with the flags that its weights and position depend on; other changes are told") {
  const std::string begun = to_json(good());
  CHECK(check_resumable(good(), begun, "r").empty());
  FitOptions longer = good();
  longer.epochs = 50;
  longer.out = "elsewhere";
  CHECK(check_resumable(longer, begun, "r") == std::vector<std::string>{"--clean-epochs is 5, was 4", "--epochs is 50, was 40"});
  const auto refused = [&](auto change, const char* text) {
    FitOptions options = good();
    change(options);
    CHECK_THROWS_WITH_AS(check_resumable(options, begun, "r/last.safetensors"), doctest::Contains(text), Error);
  };
  refused([](auto& o) { o.batch = 8; }, "r/last.safetensors: --batch is 8, was 16 when the run was begun; leave such flags out");
  refused([](auto& o) { o.model = "yolov3"; }, "--model is \"yolov3\", was \"yolov3-tiny\"");
  refused([](auto& o) { o.seed = 2; }, "--seed is 2, was 1");
  refused([](auto& o) { o.ema = 0; }, "--ema is 0");
  CHECK_THROWS_WITH_AS(check_resumable(good(), "", "r"), doctest::Contains("does not say with which flags it was begun"), Error);
}

TEST_CASE("what is not given when a run goes on is as it was begun; all contradictions are listed") {
  const std::string begun = to_json({.store = "s", .out = "r", .epochs = 100, .batch = 8, .optimiser = "sgd", .ema = 0});
  const FitOptions same = with_begun(good(), begun, {}, "r");
  CHECK(same.epochs == 100);
  CHECK(same.batch == 8);
  CHECK(same.ema == 0);
  CHECK(learning_rate_of(same) == 0.01);
  CHECK(check_resumable(same, begun, "r").empty());
  FitOptions longer = good();
  longer.epochs = 200;
  longer = with_begun(longer, begun, {"epochs"}, "r");
  CHECK(longer.batch == 8);
  CHECK(check_resumable(longer, begun, "r") == std::vector<std::string>{"--clean-epochs is 20, was 10", "--epochs is 200, was 100"});
  FitOptions other = good();
  other.seed = 7;
  other = with_begun(other, begun, {"batch", "seed"}, "r");
  CHECK_THROWS_WITH_AS(check_resumable(other, begun, "r"),
                       "r: --batch is 16, was 8; --seed is 7, was 1 when the run was begun; leave such flags out to go on with the run, or "
                       "start a new one with --init",
                       Error);
  CHECK_THROWS_WITH_AS(with_begun(good(), R"({"batch":"x"})", {}, "r"), doctest::Contains("r: --batch of the run cannot be read: "), Error);
  CHECK(with_begun(good(), "", {}, "r").batch == 16);  // check_resumable() refuses it
}
