#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

TEST_CASE("doctor of a store measures what limits its training") {
  const TrainerBench bench;
  const ProgramResult result =
      trainer({"doctor", "--store", bench.path("store"), "--model", "yolov3-tiny", "--batch", "2",
               "--device", "cpu", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK_CONTAINS(result.out, "program    letterpress 0.");
  CHECK_CONTAINS(result.out, ", PyTorch 2.");
  CHECK_CONTAINS(result.out, "\nloading    ");
  CHECK_CONTAINS(result.out, "pictures/s of yolov3-tiny at 64 (cpu, ");
  CHECK_CONTAINS(result.out, "; the store gives ");
  CHECK_CONTAINS(result.out, "\nall works here\n");
  const auto training = nlohmann::json::parse(result.last_line()).at("training");
  CHECK(training.at("loaded_per_s").get<double>() > 0);
  CHECK(training.at("pictures_per_s").get<double>() > 0);
}

TEST_CASE("doctor of a store writes nothing there: a store may be mounted read-only") {
  const TrainerBench bench;
  const auto changed = std::filesystem::last_write_time(bench.path("store"));
  const ProgramResult result = trainer({"doctor", "--store", bench.path("store"), "--model",
                                        "yolov3-tiny", "--batch", "2", "--device", "cpu"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("writes ") == std::string::npos);
  CHECK(std::filesystem::last_write_time(bench.path("store")) == changed);
}

TEST_CASE("doctor without a store looks at the machine; an unknown model is exit 64") {
  const ProgramResult result = trainer({"doctor", "--device", "cpu"});
  CHECK(result.exit_code == 0);
  CHECK_CONTAINS(result.out, "\ntraining   give --store, and its rows and training steps are");
  const TrainerBench bench;
  CHECK(trainer({"doctor", "--store", bench.path("store"), "--model", "yolov9"}).exit_code == 64);
  const ProgramResult none = trainer({"doctor", "--store", bench.path("gone"), "--json"});
  CHECK(none.exit_code == 78);
  CHECK_CONTAINS(none.out, "\nmemory     ");
  CHECK_CONTAINS(none.out, "\nwill not work: " + bench.path("gone"));
  CHECK(nlohmann::json::parse(none.last_line()).at("faults").size() == 1);
}
