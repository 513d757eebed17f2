#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

nlohmann::json dry_run(const TrainerBench& bench, std::vector<std::string> more) {
  more.insert(more.begin(), {"fit", "--store", bench.path("store"), "--device", "cpu", "--dry-run", "--json", "--batch", "4"});
  const ProgramResult result = trainer(more);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(has(result.out, "pictures/s; an epoch of 8 pictures "));
  CHECK(has(result.out, "GB/s from memory, "));
  CHECK(has(result.out, "\nreading  rows are read by "));
  CHECK(has(result.out, "\nlimit    the store gives "));
  CHECK(has(result.out, "\nnothing was written\n"));
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
  // Weights are float32, beside them there are two moments of adamw and the averages: three times as much.
  CHECK(weights >= 4 * whole.at("parameters").get<double>());
  CHECK(beside / weights == doctest::Approx(3).epsilon(0.02));
  CHECK(memory.at("activations") > 0);
  CHECK(whole.at("pictures_per_s") > 0);
  CHECK(whole.at("loader").at("warm_per_s") > 0);
  CHECK(whole.at("loader").at("cold_per_s") > 0);
  CHECK(has(whole.at("verdict"), "the limit"));
  CHECK(whole.at("need_gb_per_s").get<double>() == doctest::Approx(whole.at("pictures_per_s").get<double>() * 3 * 64 * 64 / 1e9));

  // In parts a step takes less, plain sgd without averages keeps less.
  const auto parts = dry_run(bench, {"--accumulate", "4", "--optimiser", "sgd", "--momentum", "0", "--ema", "0"});
  CHECK(parts.at("parts") == 4);
  CHECK(parts.at("memory").at("activations") < memory.at("activations"));
  CHECK(parts.at("memory").at("beside").get<double>() < 0.8 * beside);
}

TEST_CASE("a dry run refuses what the training would refuse") {
  const TrainerBench bench;
  const auto check = [&](int code, const std::vector<std::string>& more, const std::string& text) {
    CAPTURE(text);
    std::vector<std::string> words{"fit", "--store", bench.path("store"), "--device", "cpu", "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = trainer(words);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(has(result.err, text), result.err);
  };
  check(64, {"--batch", "0"}, "--batch is 0, must be 1 or more");
  check(64, {"--model", "yolov9"}, "unknown model 'yolov9'");
  check(78, {"--model", "minigooglenet"}, "gives whole pictures a class; take a model that finds boxes");
}
