#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

nlohmann::json dry_run(const TrainerBench& bench, std::vector<std::string> more) {
  more.insert(more.begin(), {"fit", "--store", bench.path("store"), "--device", "cpu", "--dry-run",
                             "--json", "--batch", "4"});
  const ProgramResult result = trainer(more);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.out, "pictures/s; an epoch of 8 pictures "));
  CHECK(contains(result.out, "GB/s from memory"));
  CHECK(contains(result.out, "\nreading  rows are read by "));
  CHECK(contains(result.out, "\nlimit    the store gives "));
  CHECK(contains(result.out, "\nnothing was written\n"));
  return nlohmann::json::parse(result.last_line());
}

}  // namespace

TEST_CASE("fit --dry-run says memory, rate and limit, and writes nothing") {
  const TrainerBench bench;
  const auto whole = dry_run(bench, {"--out", bench.path("run"), "--ema", "0.999"});
  CHECK_FALSE(std::filesystem::exists(bench.folder / "run"));
  CHECK(std::filesystem::is_empty(bench.folder / "store/pins"));
  const auto& memory = whole.at("memory");
  const double weights = memory.at("weights"), beside = memory.at("beside");
  // Weights are float32, beside them there are two moments of adamw and the averages: three times
  // as much.
  CHECK(weights >= 4 * whole.at("parameters").get<double>());
  CHECK(beside / weights == doctest::Approx(3).epsilon(0.02));
  CHECK(memory.at("activations") > 0);
  CHECK(whole.at("pictures_per_s") > 0);
  CHECK(whole.at("loader").at("warm_per_s") > 0);
  CHECK(whole.at("loader").contains("cold_per_s") != whole.at("loader").contains("not_cold"));
  CHECK(contains(whole.at("verdict"), "the limit"));
  CHECK(whole.at("need_gb_per_s").get<double>() ==
        doctest::Approx(whole.at("pictures_per_s").get<double>() * 3 * 64 * 64 / 1e9));

  // In parts a step takes less, plain sgd without averages keeps less.
  const auto parts =
      dry_run(bench, {"--accumulate", "4", "--optimiser", "sgd", "--momentum", "0", "--ema", "0"});
  CHECK(parts.at("parts") == 4);
  CHECK(parts.at("memory").at("activations") < memory.at("activations"));
  CHECK(parts.at("memory").at("beside").get<double>() < 0.8 * beside);
}

TEST_CASE(
    "a dry run measures the largest side, with frozen layers, operations on the device and start "
    "weights") {
  const TrainerBench bench;
  // Of a model with few weights, lest their copies hide what the pictures take.
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--model", "yolov8n"});
    return dry_run(bench, more);
  };
  const auto plain = run({}), larger = run({"--multi-scale", "32-256", "--on-device", "flip,hsv"});
  CHECK(plain.at("side") == 64);
  CHECK(larger.at("side") == 256);
  const auto activations = [](const nlohmann::json& measured) {
    return measured.at("memory").at("activations").get<double>();
  };
  // Sixteen times the pixels.
  CHECK(activations(larger) > 4 * activations(plain));
  const auto frozen = run({"--freeze", "all-but-head"});
  CHECK(activations(frozen) < 0.5 * activations(plain));
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  CHECK(dry_run(bench, {"--init", bench.path("run")}).at("side") == 64);
  CHECK(dry_run(bench, {"--out", bench.path("run"), "--resume"}).at("side") == 64);
}

TEST_CASE("a dry run refuses what the training would refuse") {
  const TrainerBench bench;
  const auto check = [&](int code, const std::vector<std::string>& more, const std::string& text) {
    CAPTURE(text);
    std::vector<std::string> words{"fit",      "--store", bench.path("store"),
                                   "--device", "cpu",     "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = trainer(words);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  };
  check(64, {"--batch", "0"}, "--batch is 0, must be 1 or more");
  check(64, {"--model", "yolov9"}, "unknown model 'yolov9'");
  check(78, {"--model", "minigooglenet"},
        "gives whole pictures a class; take a model that finds boxes");
  check(64, {"--freeze", "backbon"},
        "--freeze: unknown stage, layer or pattern of layers 'backbon'; did you mean 'backbone'?");
  check(64, {"--val-split", "tset"}, "--val-split: unknown split 'tset'");
  check(66, {"--init", bench.path("nowhere")}, "nowhere: is not there");
  check(78, {"--out", bench.path("store/run")}, "lies in the store");
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  check(78, {"--out", bench.path("run")}, "run: holds a run already; --resume goes on with it");
  const TrainerBench classes({.side = 32, .train = 8, .val = 3, .whole_pictures = true});
  for (const auto& [flag, value, text] : std::vector<std::array<std::string, 3>>{
           {"--multi-scale", "32-64",
            "--multi-scale 32-64: minigooglenet gives whole pictures of side 32 a class and takes "
            "no other side"},
           {"--on-device", "mosaic",
            "--on-device mosaic: mosaic makes one picture of several, minigooglenet gives each a "
            "class"},
           {"--monitor", "map", "--monitor"}}) {
    const ProgramResult result =
        trainer({"fit", "--store", classes.path("store"), "--device", "cpu", "--dry-run", "--model",
                 "minigooglenet", flag, value});
    CHECK(result.exit_code == 78);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  }
}
