#include "trainer/commands/fit/fit_summary.h"

#include <doctest/doctest.h>

#include <csignal>

#include "tests/contains.h"

using namespace letterpress;

TEST_CASE("the last line of fit names run, epochs, steps, time and the best epoch") {
  FitResult result{.done = {.step = 693,
                            .epochs_done = 40,
                            .best_map = 0.41236,
                            .best_map50 = 0.75,
                            .best_epoch = 37},
                   .seconds = 75};
  CHECK(summary_text({.out = "runs/a"}, result) ==
        "runs/a: 40 epochs, 693 steps in 1 min; best epoch 37: mAP50 0.7500, mAP50-95 0.4124");
  CHECK(exit_code(result) == 0);
  result.done.best_epoch = 0;  // no val split
  CHECK(summary_text({.out = "runs/a"}, result) == "runs/a: 40 epochs, 693 steps in 1 min");
}

TEST_CASE(
    "skipped steps are told; when they are most of a run it has diverged: its last loss, what to "
    "do, exit code 65") {
  FitResult result{.done = {.step = 10, .epochs_done = 2, .skipped_steps = 5},
                   .seconds = 12,
                   .last_loss = 123456.7};
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 2 epochs, 10 steps in 12 s; 5 steps changed nothing, their gradients were not finite");
  CHECK(exit_code(result) == 0);
  result.done.skipped_steps = 6;
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 2 epochs, 10 steps in 12 s; 6 steps changed nothing, their gradients were not finite: "
        "the training diverged (last loss "
        "1.235e+05), use a lower --lr or a longer --warmup");
  CHECK(exit_code(result) == 65);
}

TEST_CASE("the JSON ending is 'diverged' where the exit code is 65, and nowhere else") {
  FitResult result{.done = {.step = 10, .epochs_done = 2, .skipped_steps = 5}};
  CHECK(contains(summary_json({.out = "a"}, result), R"({"ending":"complete",)"));
  for (const Ending ending : {Ending::complete, Ending::stalled, Ending::out_of_time}) {
    result = {.ending = ending, .done = {.step = 10, .epochs_done = 2, .skipped_steps = 6}};
    CHECK(contains(summary_json({.out = "a"}, result), R"({"ending":"diverged",)"));
    CHECK(exit_code(result) == 65);
  }
  result = {.done = {.step = 10, .epochs_done = 2, .steps_without_target = 6}};
  CHECK(contains(summary_json({.out = "a"}, result), R"({"ending":"diverged",)"));
  result.ending = Ending::signal;
  result.signal = SIGTERM;
  CHECK(contains(summary_json({.out = "a"}, result), R"({"ending":"signal",)"));
  CHECK(exit_code(result) == 143);
  CHECK(diverged_json({.out = "runs/a"}) == R"({"ending":"diverged","out":"runs/a"})");
}

TEST_CASE("a run most of whose steps, the last ones, had no target has diverged") {
  FitResult result{.done = {.step = 10, .epochs_done = 2}, .seconds = 12, .last_loss = 0};
  result.done.steps_without_target = 5;
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 2 epochs, 10 steps in 12 s; no box became a target in the last 5 steps");
  CHECK(exit_code(result) == 0);
  result.done.steps_without_target = 6;
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 2 epochs, 10 steps in 12 s; no box became a target in the last 6 steps: the training "
        "diverged (last loss 0), use a lower --lr or a longer --warmup");
  CHECK(exit_code(result) == 65);
  CHECK(summary_json({.out = "a"}, result).find("\"steps_without_target\":6") != std::string::npos);
}

TEST_CASE("a run whose model collapsed has diverged, and one that only found nothing says so") {
  FitResult result{.done = {.step = 10,
                            .epochs_done = 2,
                            .most_map50 = 0,
                            .first_loss = 200,
                            .most_epoch_loss = 1.319e7},
                   .seconds = 12,
                   .last_loss = 150};
  CHECK(
      summary_text({.out = "a"}, result) ==
      "a: 2 epochs, 10 steps in 12 s; nothing was ever found in the val split, and the loss of an "
      "epoch, 1.319e+07, was more than a hundred times that of the first step, 200: the training "
      "diverged (last loss 150), use a lower --lr or a longer --warmup");
  CHECK(exit_code(result) == 65);
  CHECK(contains(summary_json({.out = "a"}, result), R"({"ending":"diverged",)"));
  CHECK(note_of_nothing_found(result.done).empty());
  result.done.most_epoch_loss = 20000;
  CHECK(exit_code(result) == 0);
  CHECK(note_of_nothing_found(result.done)
            .starts_with("nothing was ever found in the val split: mAP50 0 in all 2 epochs; the "
                         "first epochs from "
                         "scratch are often so"));
  result.done.most_map50 = 0.25;
  CHECK(note_of_nothing_found(result.done).empty());
}

TEST_CASE("why a run ended early is told, and is not a failure") {
  FitResult result{.ending = Ending::stalled,
                   .done = {.step = 10, .epochs_done = 5, .best_epoch = 2},
                   .seconds = 12};  // --monitor loss, no val split
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 5 epochs, 10 steps in 12 s; best epoch 2; stopped early, the monitored metric stalled");
  CHECK(exit_code(result) == 0);
  result.ending = Ending::out_of_time;
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 5 epochs, 10 steps in 12 s; best epoch 2; out of time, --resume goes on");
  CHECK(exit_code(result) == 0);
}

TEST_CASE("a classifier's summary has its top-1") {
  FitResult result{.done = {.step = 6, .epochs_done = 2, .best_epoch = 1},
                   .metrics = EpochResult::Metrics{.top1 = 0.5},
                   .best_top1 = 0.75,
                   .seconds = 12};
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 2 epochs, 6 steps in 12 s; best epoch 1: top-1 0.7500; last epoch: top-1 0.5000");
  result.last_mean = {{"top1", 0.625}};
  CHECK(contains(summary_text({.out = "a"}, result),
                 "; last epoch: top-1 0.5000; mean of the last three: top-1 0.6250"));
  const std::string json = summary_json({.out = "a"}, result);
  CHECK(json.find("\"top1\":0.5") != std::string::npos);
  CHECK(json.find("\"best\":{\"epoch\":1,\"top1\":0.75}") != std::string::npos);
  CHECK(json.find("map50") == std::string::npos);
}

TEST_CASE("beside the best epoch: the last one, and the mean of the last three") {
  const FitResult result{
      .done = {.step = 6, .epochs_done = 4, .best_map = 0.4, .best_map50 = 0.7, .best_epoch = 2},
      .metrics = EpochResult::Metrics{.map50 = 0.5, .map = 0.25},
      .last_mean = {{"map", 0.3}, {"map50", 0.6}},
      .seconds = 12};
  CHECK(summary_text({.out = "a"}, result) ==
        "a: 4 epochs, 6 steps in 12 s; best epoch 2: mAP50 0.7000, mAP50-95 0.4000; last epoch: "
        "mAP50 0.5000, mAP50-95 0.2500; mean of the last three: mAP50 0.6000, mAP50-95 0.3000");
  CHECK(
      contains(summary_json({.out = "a"}, result), R"("last_three":{"map50":0.6,"map50_95":0.3})"));
}

TEST_CASE("a signal's exit code is 128 and its number") {
  CHECK(exit_code({.ending = Ending::signal, .signal = SIGTERM}) == 143);
  CHECK(exit_code({.ending = Ending::signal,
                   .signal = SIGINT,
                   .done = {.step = 1, .skipped_steps = 1}}) == 130);
}

TEST_CASE("the JSON summary has metrics and best epoch only where there are any") {
  FitResult result{.done = {.step = 3, .epochs_done = 1, .skipped_steps = 0}, .seconds = 1.5};
  CHECK(
      summary_json({.out = "a"}, result) ==
      R"({"ending":"complete","epochs":1,"out":"a","seconds":1.5,"signal":0,"skipped_steps":0,"step":3})");
  result.metrics = EpochResult::Metrics{0.5, 0.25, 1, 0.75};
  result.done.best_epoch = 1;
  result.done.best_map = 0.25;
  result.done.best_map50 = 0.5;
  result.last_loss = 2;
  CHECK(
      summary_json({.out = "a"}, result) ==
      R"({"best":{"epoch":1,"map50":0.5,"map50_95":0.25},"ending":"complete","epochs":1,"last_loss":2.0,"map50":0.5,"map50_95":0.25,"out":"a",)"
      R"("precision":1.0,"recall":0.75,"seconds":1.5,"signal":0,"skipped_steps":0,"step":3})");
}
