#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

TEST_CASE("fit trains, eval gives its metrics again, inspect says what the checkpoint holds") {
  const TrainerBench bench;
  const ProgramResult fitted = trainer(bench.fit_words("run", {"--json"}));
  REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
  const auto summary = nlohmann::json::parse(fitted.last_line());
  CHECK(summary.at("step") == 2);
  CHECK(summary.at("epochs") == 1);
  CHECK(summary.at("signal") == 0);
  CHECK(summary.at("best").at("epoch") == 1);
  CHECK(contains(fitted.err, "configuration {\"accumulate\":1,\"anchors\":\"auto\",\"batch\":4,"));
  CHECK(contains(fitted.err, "epoch 1/1: loss "));

  const ProgramResult evaluated = trainer({"eval", "--store", bench.path("store"), "--checkpoint",
                                           bench.path("run"), "--json", "--device", "cpu"});
  REQUIRE_MESSAGE(evaluated.exit_code == 0, evaluated.err);
  CHECK(evaluated.out.starts_with("3 pictures, "));
  CHECK(contains(
      evaluated.out,
      "\nclass   labels  precision     recall         F1      mAP50   mAP50-95     VOC AP\nred "));
  CHECK(contains(evaluated.out, "\nall          6 "));
  const auto metrics = nlohmann::json::parse(evaluated.last_line());
  CHECK(metrics.at("map50").get<double>() == doctest::Approx(summary.at("map50").get<double>()));
  CHECK(metrics.at("classes").size() == 3);

  const ProgramResult inspected =
      trainer({"inspect", "--checkpoint", bench.path("run/last.safetensors"), "--json"});
  const auto described = nlohmann::json::parse(inspected.last_line());
  CHECK(described.at("model") == "yolov3-tiny");
  CHECK(described.at("classes") == nlohmann::json{"red", "green", "blue"});
  CHECK(described.at("parameters") == 8674496);
  CHECK(described.at("side") == 64);
  CHECK(described.at("resumable") == true);
  CHECK(described.at("snapshot").at("generation") == 1);
  CHECK(described.at("configuration").at("batch") == 4);
  const ProgramResult best = trainer({"inspect", "--checkpoint", bench.path("run")});
  CHECK(contains(best.out, "\nresumable       false\n"));
  CHECK(contains(best.out, "\nmodel           yolov3-tiny\n"));
  CHECK(best.err.empty());
  std::filesystem::remove(bench.path("run/best.safetensors"));
  const ProgramResult last = trainer({"inspect", "--checkpoint", bench.path("run"), "--json"});
  CHECK(last.err ==
        bench.path("run") + " holds no best.safetensors yet, its last.safetensors is used\n");
  CHECK(nlohmann::json::parse(last.out) == described);
}

TEST_CASE(
    "a training that diverges ends with 65 and names step, last finite loss, rows and what to do") {
  const TrainerBench bench;
  const ProgramResult wild = trainer({"fit",
                                      "--store",
                                      bench.path("store"),
                                      "--out",
                                      bench.path("wild"),
                                      "--batch",
                                      "4",
                                      "--device",
                                      "cpu",
                                      "--clip",
                                      "0",
                                      "--warmup",
                                      "0",
                                      "--ema",
                                      "0",
                                      "--lr",
                                      "100000",
                                      "--optimiser",
                                      "sgd",
                                      "--log-every",
                                      "1",
                                      "--json"});
  CHECK(wild.exit_code == 65);
  CHECK(wild.out == R"({"ending":"diverged","out":")" + bench.path("wild") + "\"}\n");
  for (const char* part :
       {"letterpress-trainer fit: step ", ": the loss is not finite (box_xy ", ", at step ",
        " it was ", "; its rows, the worst first: train", ".png (", ".h5 row ",
        "lower --lr, or set --clip; --resume goes on from the last checkpoint"}) {
    CHECK_MESSAGE(contains(wild.err, part), wild.err);
  }
}

TEST_CASE(
    "a run that collapsed is 65, 'diverged' in its JSON, with the reason on stderr, and not "
    "trained "
    "on") {
  const TrainerBench bench;
  // The squares of their gradients are not finite: every step is skipped.
  const std::vector<std::string> words = bench.fit_words(
      "run", {"--freeze", "all-but-head", "--class-weights", "1e25,1e25,1e25", "--json"});
  const ProgramResult collapsed = trainer(words);
  CHECK(collapsed.exit_code == 65);
  const auto summary = nlohmann::json::parse(collapsed.last_line());
  CHECK(summary.at("ending") == "diverged");
  CHECK(summary.at("skipped_steps") == 2);
  const std::string reason =
      "; 2 steps changed nothing, their gradients were not finite: the training diverged (last "
      "loss ";
  CHECK_MESSAGE(contains(collapsed.err, "letterpress-trainer fit: " + bench.path("run") +
                                            ": 1 epochs, 2 steps in "),
                collapsed.err);
  CHECK_MESSAGE(contains(collapsed.err, reason), collapsed.err);
  std::vector<std::string> again = words;
  again.insert(again.end(), {"--if-new", "--resume"});
  const ProgramResult resumed = trainer(again);
  CHECK(resumed.exit_code == 65);
  CHECK(nlohmann::json::parse(resumed.last_line()).at("ending") == "diverged");
}

TEST_CASE(
    "--show-schedule plots the learning rate in the terminal, with --out also as SVG and CSV, and "
    "trains nothing") {
  const TrainerBench bench;
  const ProgramResult shown =
      trainer({"fit", "--store", bench.path("store"), "--batch", "4", "--epochs", "10",
               "--schedule", "linear", "--lr", "0.5", "--warmup", "0", "--show-schedule"});
  REQUIRE_MESSAGE(shown.exit_code == 0, shown.err);
  CHECK(shown.out.starts_with(
      "learning rate: linear, 20 steps of 4 pictures in 10 epochs\n      0.5 |****"));
  CHECK(contains(shown.out, "step 20\n"));
  CHECK_FALSE(contains(shown.out, "schedule.svg"));
  const ProgramResult files = trainer(bench.fit_words("plots", {"--show-schedule", "--json"}));
  REQUIRE_MESSAGE(files.exit_code == 0, files.err);
  CHECK(contains(files.out, "plots/schedule.svg and schedule.csv"));
  CHECK(nlohmann::json::parse(files.last_line()).at("files") ==
        nlohmann::json({bench.path("plots/schedule.svg"), bench.path("plots/schedule.csv")}));
  CHECK(read_file(bench.folder / "plots/schedule.svg").starts_with("<svg "));
  CHECK(read_file(bench.folder / "plots/schedule.csv").starts_with("step,epoch,lr\n0,0,"));
  CHECK_FALSE(std::filesystem::exists(bench.folder / "plots/last.safetensors"));
}

TEST_CASE(
    "eval refuses a store of other classes with 78 and both lists, and an unknown split with 64") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  DrawnStore{.train = 2, .val = 2, .class_names = {"red", "green", "violet"}}.publish(bench.folder /
                                                                                      "other");
  const ProgramResult other =
      trainer({"eval", "--store", bench.path("other"), "--checkpoint", bench.path("run")});
  CHECK(other.exit_code == 78);
  CHECK(contains(other.err,
                 "its classes are 3 (red, green, blue), the store's are 3 (red, green, violet)"));
  DrawnStore{.side = 96, .train = 2, .val = 2}.publish(bench.folder / "larger");
  const ProgramResult larger =
      trainer({"eval", "--store", bench.path("larger"), "--checkpoint", bench.path("run")});
  CHECK(larger.exit_code == 78);
  CHECK(contains(larger.err, "build a store with `letterpress-preprocess build --size 64`"));
  const ProgramResult split = trainer({"eval", "--store", bench.path("store"), "--checkpoint",
                                       bench.path("run"), "--split", "tset"});
  CHECK(split.exit_code == 64);
  CHECK(contains(split.err, "--split: unknown split 'tset'; known: "));
}

TEST_CASE(
    "flags may stand in a TOML file; the same command with --resume goes on, without it is "
    "refused") {
  const TrainerBench bench;
  const std::string file =
      bench.folder
          .write("fit.toml", "store = \"" + bench.path("store") + "\"\nout = \"" +
                                 bench.path("run") +
                                 "\"\nbatch = 8\nepochs = 2\ndevice = \"cpu\"\n")
          .string();
  const ProgramResult fitted = trainer({"fit", "--config", file, "--epochs", "1", "--json"});
  REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
  CHECK(nlohmann::json::parse(fitted.last_line()).at("step") == 1);
  const ProgramResult again = trainer({"fit", "--config", file});
  CHECK(again.exit_code == 78);
  CHECK(contains(again.err, "holds a run already; --resume goes on with it"));
  const ProgramResult resumed = trainer({"fit", "--config", file, "--resume", "--json"});
  CHECK(resumed.exit_code == 0);
  CHECK(nlohmann::json::parse(resumed.last_line()).at("step") == 2);
  CHECK(contains(resumed.err, "resumed: --epochs is 2, was 1"));
}

TEST_CASE(
    "--resume goes on with the run's own flags; contradictions end with 78 and are all named") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run", {"--seed", "3", "--ema", "0"})).exit_code == 0);
  const std::vector<std::string> plain{
      "fit",      "--store", bench.path("store"), "--out", bench.path("run"), "--resume",
      "--device", "cpu"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), plain.begin(), plain.end());
    return trainer(std::move(more));
  };
  const ProgramResult done = with({});
  CHECK_MESSAGE(done.exit_code == 0, done.err);
  CHECK(contains(done.err, "nothing is left to do: all 1 epochs are done"));
  const ProgramResult longer = with({"--epochs", "2", "--json"});
  CHECK_MESSAGE(longer.exit_code == 0, longer.err);
  CHECK(nlohmann::json::parse(longer.last_line()).at("step") == 4);
  CHECK(contains(longer.err, "\"batch\":4,"));
  const ProgramResult refused = with({"--batch", "8", "--seed", "1"});
  CHECK(refused.exit_code == 78);
  CHECK_MESSAGE(
      contains(refused.err,
               "last.safetensors: --batch is 8, was 4; --seed is 1, was 3 when the run was begun"),
      refused.err);
}

TEST_CASE(
    "SIGTERM, SIGINT and SIGHUP end fit with 128 + signal and a checkpoint of the step it was at; "
    "under nohup a SIGHUP does not") {
  struct Case {
    std::vector<std::string> program;
    std::vector<int> signals;
    int ended_by;
  };
  const std::string fit = program_path("letterpress-trainer");
  std::signal(SIGHUP, SIG_DFL);  // the tests themselves may run under nohup
  for (const Case& one :
       {Case{{fit}, {SIGTERM}, SIGTERM}, Case{{fit}, {SIGINT}, SIGINT},
        Case{{fit}, {SIGHUP}, SIGHUP}, Case{{"/usr/bin/nohup", fit}, {SIGHUP, SIGTERM}, SIGTERM}}) {
    CAPTURE(one.signals);
    const TrainerBench bench;
    std::vector<std::string> words = bench.fit_words("run", {"--epochs=1000", "--json"});
    words.erase(std::find(words.begin(), words.end(), "--epochs"),
                std::find(words.begin(), words.end(), "--epochs") + 2);
    words.insert(words.begin(), one.program.begin(), one.program.end());
    RunningProgram running(words);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    while (!std::filesystem::exists(bench.folder / "run/last.safetensors") &&
           std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    for (const int signal : one.signals) running.send(signal);
    const ProgramResult stopped = running.wait();
    CHECK(stopped.exit_code == 128 + one.ended_by);
    const auto summary = nlohmann::json::parse(stopped.last_line());
    CHECK(summary.at("signal") == one.ended_by);
    CHECK(summary.at("step") >= 2);
    CHECK(contains(stopped.err, "stopped by a signal at step " + summary.at("step").dump() +
                                    "; --resume goes on from here"));
    const ProgramResult inspected =
        trainer({"inspect", "--checkpoint", bench.path("run/last.safetensors"), "--json"});
    CHECK(nlohmann::json::parse(inspected.last_line()).at("step") == summary.at("step"));
  }
}

TEST_CASE("--monitor with a goal: log, results.csv, checkpoint and a resumed run go by it") {
  const TrainerBench bench;
  const std::string goal = "recall@precision=0.01";
  const ProgramResult fitted = trainer(bench.fit_words("run", {"--monitor", goal}));
  REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
  const std::string results = read_file(bench.folder / "run/results.csv");
  CHECK(contains(results, ",map50,map50_95,precision,recall," + goal + ",val_loss,seconds\n"));
  const ProgramResult inspected =
      trainer({"inspect", "--checkpoint", bench.path("run/last.safetensors"), "--json"});
  const auto metrics = nlohmann::json::parse(inspected.last_line()).at("figures");
  const double reached = metrics.at(goal);
  CHECK(reached >= 0);
  CHECK(reached <= 1);
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", reached);
  CHECK(contains(fitted.err, ", " + goal + " " + text + "\n"));
  const ProgramResult resumed = trainer({"fit", "--store", bench.path("store"), "--out",
                                         bench.path("run"), "--resume", "--epochs", "2"});
  REQUIRE_MESSAGE(resumed.exit_code == 0, resumed.err);
  CHECK(read_file(bench.folder / "run/results.csv").starts_with(results));
  CHECK(trainer(bench.fit_words("other", {"--monitor", "recall@precision=2"})).exit_code == 64);
}
