// Help, the reference page and refusals of flags.
#include <doctest/doctest.h>

#include <array>

#include "letterpress/base/cores.h"
#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

TEST_CASE("the help of fit lists what the tables hold") {
  const ProgramResult help = trainer({"fit", "--help"});
  CHECK(help.exit_code == 0);
  for (const char* names :
       {"adam, adamw, sgd", "constant, cosine, linear, one-cycle, plateau, polynomial, step",
        "yolov3-tiny"})
    CHECK_MESSAGE(contains(help.out, names), help.out);
}

TEST_CASE("a wrong flag ends with its exit code and what to do") {
  const TrainerBench bench;
  const auto check = [&](int code, std::vector<std::string> words, const std::string& text) {
    CAPTURE(text);
    const ProgramResult result = trainer(std::move(words));
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  };
  check(64, bench.fit_words("r", {"--epoch", "3"}),
        "letterpress-trainer: unknown flag '--epoch'; did you mean '--epochs'?");
  check(64, bench.fit_words("r", {"--model", "yolov3-tini"}), "did you mean 'yolov3-tiny'?");
  check(64, bench.fit_words("r", {"--accumulate", "3"}),
        "--accumulate is 3, must be a divisor of --batch");
  check(64, {"fit", "--store", bench.path("store")},
        "--out is empty, must be the folder of the run");
  check(64, bench.fit_words("r", {"--monitor", "mpa"}),
        "--monitor: unknown metric 'mpa'; did you mean 'map'?");
  check(64, {"fti"}, "unknown command 'fti'; did you mean 'fit'?");
  check(78,
        {"fit", "--store", bench.path("store"), "--out", bench.path("r"), "--device", "cuda:64"},
        "--device cuda:64: there ");
  check(66, {"eval", "--store", bench.path("store"), "--checkpoint", bench.path("none")},
        "--checkpoint " + bench.path("none") + ": is not there; give a checkpoint");
  check(66, bench.fit_words("r3", {"--init", bench.path("none")}),
        "--init " + bench.path("none") + ": is not there; give a checkpoint");
  check(66, {"fit", "--store", bench.path("none"), "--out", bench.path("r")},
        "none: no such folder; check the path");
  check(64, bench.fit_words("r2", {"--val-split", "foo"}),
        "--val-split: unknown split 'foo'; known: ");
  check(64, bench.fit_words("r2", {"--split", "foo"}), "--split: unknown split 'foo'; known: ");
  check(78, bench.fit_words("store/run"), "store/run: lies in the store ");
  check(78, bench.fit_words("store/plots", {"--show-schedule"}), "store/plots: lies in the store ");
  const auto eval = [&](const std::string& flag, const std::string& value) {
    return std::vector<std::string>{
        "eval", "--store", bench.path("store"), "--checkpoint", bench.path("none"), flag, value};
  };
  check(64, eval("--snapshot", "abc"),
        "--snapshot is 'abc', must be a generation's number or 'latest'");
  check(64, eval("--batch", "0"), "--batch is 0, must be 1 or more");
  check(64, eval("--threads", "-1"), "--threads is -1, must be 0 (all cores) to 4096");
  check(65, {"inspect", "--checkpoint", bench.folder.write("x.safetensors", "hello").string()},
        "x.safetensors");
}

TEST_CASE("who measures on what is learnt is told") {
  const TrainerBench bench;
  const ProgramResult learnt = trainer(bench.fit_words("learnt", {"--val-split", "train"}));
  CHECK(learnt.exit_code == 0);
  CHECK(contains(learnt.err, "--val-split train: metrics are of the pictures that are learnt"));
  CHECK_FALSE(contains(trainer(bench.fit_words("run")).err, "that are learnt"));
}

TEST_CASE("fit and eval that fail tell programs, too") {
  const TrainerBench bench;
  for (const auto& [command, flag] : {std::pair{"fit", "--out"}, {"eval", "--checkpoint"}}) {
    CAPTURE(command);
    const ProgramResult failed =
        trainer({command, "--store", bench.path("none"), flag, bench.path("r"), "--json"});
    CHECK(failed.exit_code == 66);
    const auto told = nlohmann::json::parse(failed.last_line());
    CHECK(told.at("outcome") == "failed");
    CHECK(told.at("exit_code") == 66);
    CHECK(contains(told.at("where"), bench.path(command == std::string("fit") ? "none" : "r")));
  }
}

TEST_CASE(
    "empty and absurd values are refused with 64, a name of 300 letters is not a bug of ours") {
  const TrainerBench bench;
  const std::vector<std::array<std::string, 3>> cases{
      {"--ema", "", "--ema is '', must be a number"},
      {"--seed", "", "--seed is '', must be a whole number from 0 to 18446744073709551615"},
      {"--threads", "4097", "--threads is 4097, must be 0 (all cores) to 4096"},
      {"--readers", "1000000", "--readers is 1000000, must be 0 (as many as fit) to 1024"},
      {"--input-size", "1000000",
       "--input-size is 1000000, must be 0 (the store's) or a multiple of 32 pixels, at most 8192"},
      {"--multi-scale", "320-1000000",
       "--multi-scale is '320-1000000', must be none or two multiples of 32, at most 8192, the "
       "smaller first, as 320-608"},
      {"--log-every", "2147483647", "--log-every is 2147483647, must be 1 to 1000000"}};
  for (const auto& [flag, value, text] : cases) {
    CAPTURE(flag);
    const ProgramResult refused = trainer(bench.fit_words("r", {flag, value}));
    CHECK(refused.exit_code == 64);
    CHECK_MESSAGE(contains(refused.err, text), refused.err);
  }
  const ProgramResult empty = trainer(
      {"eval", "--store", bench.path("store"), "--checkpoint", bench.path("none"), "--conf", ""});
  CHECK(empty.exit_code == 64);
  CHECK_MESSAGE(contains(empty.err, "--conf is '', must be a number"), empty.err);
  const std::string name(300, 'x');
  for (const char* flag : {"--model", "--schedule", "--optimiser", "--split", "--monitor", "--init",
                           "--pretrained", "--freeze", "--out", "--store", "--device"}) {
    CAPTURE(flag);
    const ProgramResult refused = trainer(bench.fit_words("r", {flag, name}));
    CHECK(refused.exit_code != 0);
    CHECK_MESSAGE(refused.exit_code != 70, refused.err);
  }
}

TEST_CASE("more threads than cores are as many as cores, and fit says so") {
  const TrainerBench bench;
  const ProgramResult fitted = trainer(bench.fit_words("run", {"--threads", "300"}));
  REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
  const std::string cores = std::to_string(available_cores());
  CHECK_MESSAGE(
      contains(fitted.err, "--threads 300 is more than the cores here; " + cores + " are used\n"),
      fitted.err);
  CHECK_MESSAGE(contains(fitted.err, "cpu, " + cores + " thread"), fitted.err);
}

TEST_CASE("shards that are gone are said to be missing, however rows are to be read") {
  const TrainerBench bench;
  std::vector<std::filesystem::path> gone;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.folder / "store"))
    if (entry.path().extension() == ".h5") gone.push_back(entry.path());
  REQUIRE_FALSE(gone.empty());
  for (const auto& shard : gone) std::filesystem::remove(shard);
  for (const std::string way : {"auto", "pread", "mmap", "direct"}) {
    CAPTURE(way);
    for (const auto& words :
         {bench.fit_words("run", {"--read", way}),
          std::vector<std::string>{"bench", "--store", bench.path("store"), "--read", way}}) {
      const ProgramResult refused = trainer(words);
      CHECK(refused.exit_code == 65);
      CHECK_MESSAGE(contains(refused.err, ".h5: missing, snapshot 1 needs it"), refused.err);
      CHECK_MESSAGE(!contains(refused.err, "O_DIRECT"), refused.err);
    }
  }
}

TEST_CASE("the reference page is made from the flags that the commands take") {
  const ProgramResult page = trainer({"reference"});
  CHECK(page.exit_code == 0);
  for (const char* part :
       {"# letterpress-trainer\n", "\n## fit\n", "\n## eval\n", "\n## inspect\n",
        "| `--batch` | INT | `16` | 1 or more | must stay | pictures per step, over all ranks |",
        "| `--ema` | FLOAT | `0.999` |"})
    CHECK_MESSAGE(contains(page.out, part), page.out);
}
