#include "trainer/fit/options/fit_options.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "trainer/fit/options/idle_flags.h"

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
    CHECK_MESSAGE(std::string(error.what()).find(text) != std::string::npos,
                  std::string(error.what()));
  }
}

template <class Change>
FitOptions with(Change change) {
  FitOptions options = good();
  change(options);
  return options;
}

}  // namespace

TEST_CASE(
    "defaults are valid; each wrong option is refused with its flag, what was got and what it must "
    "be") {
  CHECK_NOTHROW(validate(good()));
  check_refused(with([](auto& o) { o.epochs = 0; }), "--epochs is 0, must be 1 or more");
  check_refused(with([](auto& o) { o.batch = 0; }), "--batch is 0, must be 1 or more");
  check_refused(with([](auto& o) { o.accumulate = 3; }),
                "--accumulate is 3, must be a divisor of --batch");
  check_refused(with([](auto& o) { o.clean_epochs = 41; }),
                "--clean-epochs is 41, must be 0 to --epochs, or -1 for a tenth");
  check_refused(with([](auto& o) { o.input_size = 100; }),
                "--input-size is 100, must be 0 (the store's) or a multiple of 32 pixels");
  check_refused(with([](auto& o) { o.input_size = -32; }), "--input-size is -32, must be");
  check_refused(with([](auto& o) { o.multi_scale = "320"; }),
                "--multi-scale is '320', must be none or two multiples of 32");
  check_refused(
      with([](auto& o) { o.cuda_graph = "on", o.multi_scale = "320-608"; }),
      "--cuda-graph on replays steps of one side, --multi-scale 320-608 draws another one "
      "every 10 steps; leave one of the two out");
  check_refused(with([](auto& o) { o.scale_every = 0; }),
                "--scale-every is 0, must be 1 or more steps");
  check_refused(with([](auto& o) { o.on_device = "flip,hvs"; }),
                "unknown --on-device operation 'hvs'; did you mean 'hsv'?");
}

TEST_CASE("wrong options of the learning rate and its schedule are refused") {
  check_refused(with([](auto& o) { o.lr = -1; }),
                "--lr is -1, must be 0 (the optimiser's own) or more, under 1e6");
  check_refused(with([](auto& o) { o.lr = 1e6; }), "--lr is 1e+06, must be ");
  check_refused(
      with([](auto& o) { o.warmup = -2; }),
      "--warmup is -2, must be 0 epochs to all of them, or -1 for three and at most a tenth");
  check_refused(with([](auto& o) { o.warmup = 41; }),
                "--warmup is 41, must be 0 epochs to all of them");
  check_refused(
      with([](auto& o) {
        o.freeze = "backbone";
        o.freeze_epochs = 2;
        o.warmup = 3;
      }),
      "--warmup is 3, must be 0 epochs to all of the shorter stage, or -1 for three and at "
      "most a tenth of each");
}

TEST_CASE("wrong options of the machine, of reading and of snapshots are refused") {
  check_refused(with([](auto& o) { o.threads = -2; }), "--threads is -2");
  check_refused(with([](auto& o) { o.readers = -2; }), "--readers is -2");
  check_refused(with([](auto& o) { o.threads = 4097; }),
                "--threads is 4097, must be 0 (all cores) to 4096");
  check_refused(with([](auto& o) { o.readers = 1025; }),
                "--readers is 1025, must be 0 (as many as fit) to 1024");
  check_refused(with([](auto& o) { o.input_size = 8224; }),
                "--input-size is 8224, must be 0 (the store's) or a multiple of 32 pixels, at most "
                "8192");
  check_refused(with([](auto& o) { o.log_every = 1'000'001; }),
                "--log-every is 1000001, must be 1 to 1000000");
  check_refused(with([](auto& o) { o.read = "fast"; }),
                "--read is 'fast', must be auto, pread, mmap or direct");
  check_refused(with([](auto& o) { o.order = "sorted"; }),
                "--order is 'sorted', must be shuffle or window");
  check_refused(with([](auto& o) { o.mode = "up"; }), "--mode is 'up', must be auto, max or min");
  check_refused(with([](auto& o) { o.verify = "once"; }),
                "--verify is 'once', must be first, always or never");
  check_refused(with([](auto& o) { o.read_deadline = 0; }),
                "--read-deadline is 0, must be over 0 seconds");
  check_refused(with([](auto& o) { o.rank_deadline = 0; }),
                "--rank-deadline is 0, must be over 0 seconds");
  check_refused(with([](auto& o) { o.log_every = 0; }), "--log-every is 0");
  check_refused(with([](auto& o) { o.checkpoint_minutes = 0; }), "--checkpoint-minutes is 0");
  check_refused(with([](auto& o) { o.snapshot = "-1"; }),
                "--snapshot is '-1', must be a generation's number, 'latest' or 'follow'");
  CHECK_NOTHROW(validate(with([](auto& o) { o.snapshot = "follow"; })));
  CHECK_NOTHROW(validate(with([](auto& o) { o.snapshot = "follow", o.refresh = 1; })));
  check_refused(with([](auto& o) { o.refresh = 2; }),
                "--refresh 2: the new views would not be read; give --snapshot follow, too");
  check_refused(with([](auto& o) { o.replay = 1.5; }),
                "--replay is 1.5, must be 0 to 1, a share of the pictures known before");
  check_refused(
      with([](auto& o) { o.replay = 0.5; }),
      "--replay: there are no pictures known before; give --init or --snapshot follow, too");
  check_refused(with([](auto& o) { o.replay = 0.5, o.snapshot = "follow", o.order = "window"; }),
                "--replay takes pictures from all over the store; --order window is not for it, "
                "leave one of them out");
  check_refused(with([](auto& o) { o.sample = "rare"; }),
                "--sample is 'rare', must be all or balanced");
  check_refused(with([](auto& o) { o.rare_below = 1.5; }),
                "--rare-below is 1.5, must be 0 (the middle class's share) to 1");
  check_refused(with([](auto& o) { o.rare_below = 0.1; }), "--rare-below: says what is rare for ");
  check_refused(with([](auto& o) { o.hard_negatives = 1; }),
                "--hard-negatives is 1, must be 0 (none) to 0.9 of an epoch");
  check_refused(with([](auto& o) { o.sample = "balanced", o.order = "window"; }),
                "--sample balanced takes pictures from all over the store; --order window is not "
                "for it, leave one of them out");
  check_refused(
      with([](auto& o) { o.hard_negatives = 0.2, o.replay = 0.5, o.snapshot = "follow"; }),
      "--hard-negatives: --replay says itself which pictures an epoch has; leave one of them out");
  check_refused(with([](auto& o) { o.precision = "fp8"; }),
                "--precision is 'fp8', must be fp32, bf16 or fp16");
  check_refused(with([](auto& o) { o.store.clear(); }), "--store is empty");
  check_refused(with([](auto& o) { o.out.clear(); }), "--out is empty");
}

TEST_CASE("wrong options of optimiser, schedule, stages and early stop are refused") {
  check_refused(with([](auto& o) { o.optimiser = "adm"; }), "did you mean 'adam'");
  check_refused(with([](auto& o) { o.schedule = "cosin"; }), "did you mean 'cosine'");
  check_refused(with([](auto& o) { o.model = "yolov3-tini"; }),
                "--model: unknown model 'yolov3-tini'; did you mean 'yolov3-tiny'?");
  check_refused(with([](auto& o) { o.momentum = 1; }),
                "--momentum is 1, must be 0 or more and under 1");
  check_refused(with([](auto& o) { o.weight_decay = -1; }),
                "--weight-decay is -1, must be 0 or more and under 1");
  check_refused(with([](auto& o) { o.clip = -1; }),
                "--clip is -1, must be 0 (no clipping) or more, finite");
  const double infinite = std::numeric_limits<double>::infinity();
  check_refused(with([=](auto& o) { o.clip = infinite; }),
                "--clip is inf, must be 0 (no clipping) or more, finite");
  check_refused(with([=](auto& o) { o.drop_every = infinite; }), "--drop-every is inf, must be 0");
  check_refused(with([](auto& o) { o.final_fraction = 1.5; }),
                "--final-fraction is 1.5, must be 0 to 1, a share of --lr");
  check_refused(with([](auto& o) { o.ema = 1; }), "--ema is 1, must be 0 or more and under 1");
  check_refused(with([](auto& o) { o.power = -1; }),
                "--power is -1, must be over 0 and at most 100");
  check_refused(with([](auto& o) { o.drop_factor = 2; }),
                "--drop-factor is 2, must be over 0 and under 1");
  check_refused(with([](auto& o) { o.drop_every = -1; }),
                "--drop-every is -1, must be 0 (a third of the run) or more epochs");
  check_refused(with([](auto& o) { o.plateau_patience = -1; }),
                "--plateau-patience is -1, must be 0 epochs or more");
  check_refused(with([](auto& o) { o.plateau_cooldown = -1; }),
                "--plateau-cooldown is -1, must be 0 epochs or more");
  check_refused(with([](auto& o) { o.freeze_epochs = 2; }),
                "--freeze-epochs is 2, must be given with --freeze");
  check_refused(with([](auto& o) { o.freeze_lr = 1; }),
                "--freeze-lr is 1, must be given with --freeze-epochs");
  check_refused(with([](auto& o) { o.freeze_epochs = -1; }),
                "--freeze-epochs is -1, must be 0 (throughout) or more");
  check_refused(with([](auto& o) { o.freeze_epochs = o.epochs; }),
                "--freeze-epochs is 40, must be under --epochs; 0 freezes throughout");
  check_refused(with([](auto& o) { o.freeze_lr = -1; }),
                "--freeze-lr is -1, must be 0 (as --lr) or more");
  check_refused(with([](auto& o) { o.patience = -1; }),
                "--patience is -1, must be 0 (no early stop) or more epochs");
  check_refused(with([](auto& o) { o.min_delta = -1; }), "--min-delta is -1, must be 0 or more");
  check_refused(with([](auto& o) { o.time_budget = -1; }),
                "--time-budget is -1, must be 0 (none) or more minutes");
  check_refused(with([](auto& o) { o.save_every = -1; }),
                "--save-every is -1, must be 0 (never) or more epochs");
  check_refused(with([](auto& o) { o.keep = -1; }), "--keep is -1, must be 0 (all) or more");
  check_refused(with([](auto& o) { o.monitor = "los"; }),
                "--monitor: unknown metric 'los'; did you mean 'loss'?");
  check_refused(with([](auto& o) { o.mode = "high"; }),
                "--mode is 'high', must be auto, max or min");
}

TEST_CASE(
    "a run is resumed with the flags that its weights and position depend on; other changes are "
    "told") {
  const std::string begun = to_json(good());
  CHECK(check_resumable(good(), begun, "r").empty());
  FitOptions longer = good();
  longer.epochs = 50;
  longer.out = "elsewhere";
  CHECK(check_resumable(longer, begun, "r") == std::vector<std::string>{"--epochs is 50, was 40"});
  FitOptions elsewhere = good();
  elsewhere.device = "cpu";
  elsewhere.threads = 3;
  elsewhere.read = "pread";
  elsewhere.log_every = 1;
  elsewhere.cuda_graph = "off";
  CHECK(check_resumable(elsewhere, begun, "r").empty());  // another machine
  CHECK(with_begun(elsewhere, flags_from_json(begun), {}, "r").threads == 3);
  CHECK(with_begun(elsewhere, flags_from_json(begun), {}, "r").cuda_graph == "off");
  const auto refused = [&](auto change, const char* text) {
    FitOptions options = good();
    change(options);
    CHECK_THROWS_WITH_AS(check_resumable(options, begun, "r/last.safetensors"),
                         doctest::Contains(text), Error);
  };
  refused([](auto& o) { o.batch = 8; },
          "r/last.safetensors: --batch is 8, was 16 when the run was begun; leave such flags out");
  refused([](auto& o) { o.model = "yolov3"; }, "--model is \"yolov3\", was \"yolov3-tiny\"");
  refused([](auto& o) { o.seed = 2; }, "--seed is 2, was 1");
  refused([](auto& o) { o.ema = 0; }, "--ema is 0");
  refused([](auto& o) { o.monitor = "loss"; }, "--monitor is \"loss\", was \"\"");
  CHECK_THROWS_WITH_AS(check_resumable(good(), "", "r"),
                       doctest::Contains("does not say with which flags it was begun"), Error);
}

TEST_CASE(
    "what is not given when a run goes on is as it was begun; all contradictions are listed") {
  const std::string begun =
      to_json({.store = "s", .out = "r", .epochs = 100, .batch = 8, .optimiser = "sgd", .ema = 0});
  const FitOptions same = with_begun(good(), flags_from_json(begun), {}, "r");
  CHECK(same.epochs == 100);
  CHECK(same.batch == 8);
  CHECK(same.ema == 0);
  CHECK(learning_rate_of(same) == 0.01);
  CHECK(check_resumable(same, begun, "r").empty());
  FitOptions longer = good();
  longer.epochs = 200;
  longer = with_begun(longer, flags_from_json(begun), {"epochs"}, "r");
  CHECK(longer.batch == 8);
  CHECK(check_resumable(longer, begun, "r") ==
        std::vector<std::string>{"--epochs is 200, was 100"});
  FitOptions other = good();
  other.seed = 7;
  other = with_begun(other, flags_from_json(begun), {"batch", "seed"}, "r");
  CHECK_THROWS_WITH_AS(check_resumable(other, begun, "r"),
                       "r: --batch is 16, was 8; --seed is 7, was 1 when the run was begun; leave "
                       "such flags out to go on with the run, or "
                       "start a new one with --init",
                       Error);
  CHECK_THROWS_WITH_AS(with_begun(good(), flags_from_json(R"({"batch":"x"})"), {}, "r"),
                       doctest::Contains("r: --batch of the run cannot be read: "), Error);
  for (const char* none : {"", "[1]", "{"}) CHECK(flags_from_json(none).is_null());
  CHECK(with_begun(good(), flags_from_json(""), {}, "r").batch ==
        16);  // check_resumable() refuses it
}

TEST_CASE("flags whose owner is not chosen are named") {
  FitOptions options;
  CHECK(idle_flags(options).empty());
  options.power = 2;
  CHECK(idle_flags(options) == "--power (of --schedule polynomial) does nothing here");
  options.momentum = 0.8;
  options.scale_every = 5;
  CHECK(idle_flags(options) ==
        "--momentum (of --optimiser sgd), --power (of --schedule polynomial), --scale-every (of "
        "--multi-scale) do nothing here");
  options.optimiser = "sgd";
  options.schedule = "polynomial";
  options.multi_scale = "320-608";
  CHECK(idle_flags(options).empty());
  options.schedule = "plateau";
  options.drop_factor = 0.5;
  options.drop_every = 3;
  options.power = 1;
  CHECK(idle_flags(options) == "--drop-every (of --schedule step) does nothing here");
}

TEST_CASE("notes are stored with the run, and a run that goes on may have others") {
  const std::string begun = to_json(with([](FitOptions& o) { o.notes = "new camera, lens 2"; }));
  CHECK(flags_from_json(begun).at("notes") == "new camera, lens 2");
  CHECK(with_begun(good(), flags_from_json(begun), {}, "r").notes == "new camera, lens 2");
  const FitOptions other = with([](FitOptions& o) { o.notes = "lens 3"; });
  CHECK(check_resumable(with_begun(other, flags_from_json(begun), {"notes"}, "r"), begun, "r") ==
        std::vector<std::string>{"--notes is \"lens 3\", was \"new camera, lens 2\""});
}
