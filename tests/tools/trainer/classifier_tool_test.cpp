#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

TEST_CASE(
    "a classifier from the command line: fit, eval with each class, what is of boxes refused, raw "
    "ONNX") {
  const TrainerBench bench({.side = 32, .train = 12, .val = 6, .whole_pictures = true});
  const ProgramResult fitted =
      trainer(bench.fit_words("run", {"--model", "minigooglenet", "--json"}));
  REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
  const auto summary = nlohmann::json::parse(fitted.last_line());
  CHECK(summary.at("best").at("top1") == summary.at("top1"));

  const std::vector<std::string> eval{
      "eval", "--store", bench.path("store"), "--checkpoint", bench.path("run"), "--device", "cpu"};
  const auto eval_with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = eval;
    words.insert(words.end(), more.begin(), more.end());
    return trainer(words);
  };
  const ProgramResult evaluated = eval_with({"--json"});
  REQUIRE_MESSAGE(evaluated.exit_code == 0, evaluated.err);
  CHECK(evaluated.out.starts_with("top-1 "));
  CHECK(evaluated.out.find(" of 6 pictures)\n") != std::string::npos);
  const auto metrics = nlohmann::json::parse(evaluated.last_line());
  CHECK(metrics.at("top1").get<double>() == doctest::Approx(summary.at("top1").get<double>()));
  CHECK(metrics.at("classes").size() == 3);
  const ProgramResult refused = eval_with({"--iou", "0.5"});
  CHECK(refused.exit_code == 64);
  CHECK(refused.err.find(
            "--iou is of boxes, minigooglenet gives whole pictures a class; leave --iou out") !=
        std::string::npos);

  const ProgramResult exported =
      trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--output", "raw",
               "--out", bench.path("a.onnx")});
  CHECK_MESSAGE(exported.exit_code == 0, exported.err);
}
