#include "trainer/fit/log/results_csv.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/temp_dir.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/fit/log/progress_line.h"
#include "trainer/fit/log/run_scalars.h"
#include "trainer/fit/opening/epoch_plan.h"
#include "trainer/fit/opening/run_state.h"

using namespace letterpress;

TEST_CASE("epochs end with the step that has seen every sample, whatever the batch") {
  const EpochPlan bccd{.samples = 277, .batch = 16, .epochs = 40};
  CHECK(bccd.total_steps() == 693);   // 11080 / 16 = 692.5
  CHECK(bccd.epochs_after(17) == 0);  // 272 samples
  CHECK(bccd.epochs_after(18) == 1);  // 288
  CHECK(bccd.epochs_after(693) == 40);
  CHECK(bccd.epochs_after(692) == 39);   // 11072 < 11080
  CHECK(bccd.epochs_after(9999) == 40);  // never more than the run has
  CHECK(bccd.steps_per_epoch() == 17.3125);
  const EpochPlan exact{.samples = 8, .batch = 4, .epochs = 3};
  CHECK(exact.total_steps() == 6);
  CHECK(exact.epochs_after(1) == 0);
  CHECK(exact.epochs_after(2) == 1);
  CHECK(exact.epochs_after(3) == 1);
  const EpochPlan tiny{.samples = 3, .batch = 8, .epochs = 5};
  CHECK(tiny.total_steps() == 2);
  CHECK(tiny.epochs_after(1) == 2);  // 8 samples are two whole epochs
  CHECK(tiny.epochs_after(2) == 5);
}

TEST_CASE("epochs go on where the pictures became others") {
  // 8 pictures for two epochs, four to a step, then 12 for the other three.
  const EpochPlan now{.samples = 12, .batch = 4, .epochs = 5, .first_step = 4, .first_epoch = 2};
  CHECK(now.position(4) == 24);
  CHECK(now.position(7) == 36);
  CHECK(now.epochs_after(4) == 2);
  CHECK(now.epochs_after(6) == 2);
  CHECK(now.epochs_after(7) == 3);
  CHECK(now.total_steps() == 13);
  // Of a schedule over five epochs of three steps each: two of them are done.
  CHECK(now.schedule_steps() == 15);
  CHECK(now.schedule_step(4) == 6);
  CHECK(now.schedule_step(13) == 15);
}

TEST_CASE(
    "results.csv has a header and a line per epoch; without val figures their fields are empty") {
  const TempDir dir;
  ResultsCsv results(dir / "results.csv", {"box", "class"}, 0);
  results.append({.epoch = 1,
                  .step = 18,
                  .terms = {1.5, 0.25},
                  .lr = 0.001,
                  .images_per_s = 23.5,
                  .data_wait = 0.004,
                  .metrics = EpochResult::Metrics{0.7, 0.4, 0.8, 0.9},
                  .seconds = 12.25});
  results.append({.epoch = 2,
                  .step = 35,
                  .terms = {1, 2},
                  .lr = 1e-5,
                  .images_per_s = 20,
                  .data_wait = 1,
                  .seconds = 30});
  CHECK(read_file(dir / "results.csv") ==
        "epoch,step,box,class,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,"
        "recall,seconds\n"
        "1,18,1.5,0.25,1.75,0.001,23.5,0.4,0.7,0.4,0.8,0.9,12.25\n"
        "2,35,1,2,3,1e-05,20,100,,,,,30\n");
}

TEST_CASE("a resumed run keeps the whole lines of its epochs and drops later and torn ones") {
  const TempDir dir;
  const std::string header =
      "epoch,step,box,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,recall,"
      "seconds\n";
  const std::string one = "1,5,1,1,1,1,1,,,,,1\n", two = "2,9,1,1,1,1,1,,,,,2\n",
                    three = "3,13,1,1,1,1,1,,,,,3\n";
  const auto resumed = [&](const std::string& content, std::int64_t epochs_done) {
    const auto file = dir.write("results.csv", content);
    ResultsCsv(file, {"box"}, epochs_done);
    return read_file(file);
  };
  CHECK(resumed(header + one + two + three, 2) == header + one + two);
  CHECK(resumed(header + one + "2,9,1,", 2) == header + one);
  CHECK(resumed(header + one + two.substr(0, two.size() - 1), 2) == header + one);
  CHECK(resumed(header + one, 0) == header);
  CHECK(resumed("something else\n" + one, 2) == header);
  CHECK(resumed("", 0) == header);
}

TEST_CASE("an epoch that ends a second time after a resumption has one line, the new one") {
  const TempDir dir;
  const auto lines = [&] {
    const std::string content = read_file(dir / "results.csv");
    return std::count(content.begin(), content.end(), '\n');
  };
  ResultsCsv killed(dir / "results.csv", {"box"}, 0);
  for (const std::int64_t epoch : {1, 2})
    killed.append({.epoch = epoch, .step = 5 * epoch, .terms = {1}});
  ResultsCsv resumed(dir / "results.csv", {"box"}, 1);  // its checkpoint was of the end of epoch 1
  CHECK(lines() == 2);
  for (const std::int64_t epoch : {2, 3})
    resumed.append({.epoch = epoch, .step = 5 * epoch, .terms = {7}});
  CHECK(lines() == 4);
  CHECK(read_file(dir / "results.csv").find("\n2,10,7,7,") != std::string::npos);
  CHECK(read_file(dir / "results.csv").find("\n2,10,1,") == std::string::npos);
}

TEST_CASE("the progress line names epoch, step, terms, rate, data_wait, memory and ETA") {
  CHECK(progress_text({.epoch = 3,
                       .epochs = 40,
                       .step = 52,
                       .steps = 693,
                       .term_names = {"box_xy", "objectness"},
                       .terms = {1.2131, 12.06},
                       .lr = 0.00097,
                       .images_per_s = 23.14,
                       .data_wait = 0.0031,
                       .memory = std::int64_t{5} << 28,
                       .remaining_s = 720}) ==
        "epoch 3/40  step 52/693  box_xy 1.21  objectness 12.1  lr 0.00097  23.1 images/s  "
        "data_wait 0.3 %  memory 1.2 GiB  ETA 12 min");
}

TEST_CASE("the state of a run survives its text exactly, and a damaged one is named") {
  const RunState state{
      .step = 7,
      .epochs_done = 2,
      .elapsed_s = 0.1,
      .best = {.value = 0.1 + 0.2, .stalled = 2},
      .best_map = 1.0 / 3,
      .best_map50 = 0.5,
      .best_epoch = 1,
      .stopping = {.stalled = 5},
      .plateau = {.reduction = 0.1 * 0.3, .best = {.value = -1e-300, .stalled = 1}, .cooling = 3},
      .skipped_steps = 3,
      .epoch = {
          .terms = {0.1, 1e300}, .normaliser = 12, .samples = 12, .train_s = 1e-9, .waited_s = 0}};
  const RunState back = run_state_from_json(to_json(state));
  CHECK(to_json(back) == to_json(state));
  CHECK(back.best_map == state.best_map);
  CHECK(back.skipped_steps == 3);
  CHECK(*back.best.value == 0.1 + 0.2);
  CHECK(back.best.stalled == 2);
  CHECK_FALSE(back.stopping.value);
  CHECK(back.stopping.stalled == 5);
  CHECK(back.plateau.reduction == 0.1 * 0.3);
  CHECK(*back.plateau.best.value == -1e-300);
  CHECK(back.plateau.cooling == 3);
  CHECK(back.epoch.terms == state.epoch.terms);
  CHECK(back.epoch.train_s == 1e-9);
  // one of before there was --monitor: map decided
  nlohmann::json older = nlohmann::json::parse(to_json(state));
  for (const char* added : {"best", "stopping", "plateau"}) older.erase(added);
  CHECK(*run_state_from_json(older.dump()).best.value == 1.0 / 3);
  CHECK_THROWS_WITH_AS(run_state_from_json("{}"),
                       doctest::Contains("its training state cannot be read"), Error);
  CHECK_THROWS_WITH_AS(run_state_from_json(R"({"step":"x"})"),
                       doctest::Contains("start a new run with --init"), Error);
}

TEST_CASE("a run's folder stands for its best checkpoint, else its last") {
  const TempDir dir;
  CHECK_THROWS_WITH_AS(find_checkpoint(dir.path(), "checkpoint"),
                       doctest::Contains("holds neither best.safetensors nor last.safetensors"),
                       Error);
  CHECK_THROWS_WITH_AS(find_checkpoint(dir / "none", "init"),
                       ("--init " + (dir / "none").string() +
                        ": is not there; give a checkpoint or the --out folder of a run")
                           .c_str(),
                       Error);
  const auto last = dir.write("last.safetensors", "l");
  CHECK(find_checkpoint(dir.path(), "checkpoint") == last);
  const auto best = dir.write("best.safetensors", "b");
  CHECK(find_checkpoint(dir.path(), "checkpoint") == best);
  CHECK(find_checkpoint(last, "checkpoint") == last);
}

TEST_CASE(
    "results.csv is read back by column, empty fields as no number, a torn last line not at all") {
  const TempDir dir;
  ResultsCsv results(dir / "results.csv", {"box", "class"}, 0);
  results.append({.epoch = 1,
                  .step = 18,
                  .terms = {1.5, 0.25},
                  .metrics = EpochResult::Metrics{0.7, 0.4, 0.8, 0.9}});
  results.append({.epoch = 2, .step = 35, .terms = {1, 2}});
  std::ofstream(dir / "results.csv", std::ios::app) << "3,52,1";
  const RunResults read = read_results(dir / "results.csv");
  CHECK(read.term_names() == std::vector<std::string>{"box", "class"});
  REQUIRE(read.find("map50"));
  CHECK(read.find("map50")->at(0) == 0.7);
  CHECK(std::isnan(read.find("map50")->at(1)));
  CHECK(*read.find("loss") == std::vector<double>{1.75, 3});
  CHECK(*read.find("epoch") == std::vector<double>{1, 2});
  CHECK(read.find("top1") == nullptr);
  CHECK_THROWS_WITH_AS(
      read_results(dir.write("other.csv", "name,price\n")),
      doctest::Contains("other.csv: is no results.csv of a run, its first line is 'name,price'"),
      Error);
}

TEST_CASE("TensorBoard gets each term and their sum, rates, and the figures that the epoch has") {
  const auto text = [](const std::vector<Scalar>& scalars) {
    std::ostringstream all;
    for (const Scalar& scalar : scalars) all << scalar.tag << " " << scalar.value << "\n";
    return all.str();
  };
  CHECK(text(scalars_of(FitProgress{.term_names = {"box", "classes"},
                                    .terms = {1.5, 0.25},
                                    .lr = 0.01,
                                    .images_per_s = 20,
                                    .data_wait = 0.5,
                                    .memory = 3 << 28})) ==
        "loss/total 1.75\nloss/box 1.5\nloss/classes 0.25\ntraining/lr 0.01\ntraining/images_per_s "
        "20\ntraining/data_wait_percent 50\n"
        "training/memory_gib 0.75\n");
  CHECK(text(scalars_of(EpochResult{.terms = {1.5, 0.25}})) == "epoch/loss 1.75\n");
  CHECK(text(scalars_of(
            EpochResult{.terms = {1}, .metrics = EpochResult::Metrics{0.7, 0.4, 0.8, 0.9}})) ==
        "epoch/loss 1\nval/map50 0.7\nval/map50_95 0.4\nval/precision 0.8\nval/recall 0.9\n");
  CHECK(text(scalars_of(EpochResult{.terms = {1}, .metrics = EpochResult::Metrics{.top1 = 0.6}})) ==
        "epoch/loss 1\nval/top1 0.6\n");
}
