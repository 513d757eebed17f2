// What computes predict's layers.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "tests/tools/trainer/engine_results.h"
#include "tests/trainer/openvino/openvino_here.h"

namespace letterpress {

TEST_CASE("OpenVINO finds what torch finds, for any batch, models with and without anchors" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  for (const std::string& model : models_of_all_kinds()) {
    CAPTURE(model);
    const FoundByTorch run(model);
    const auto& [bench, torch] = run;
    CHECK(torch.summary.at("engine") == "torch");
    for (const std::string batch : {"1", "3", "16"}) {
      CAPTURE(batch);
      const Found openvino = found(bench, bench.path("in"),
                                   {"--engine", "openvino", "--batch", batch, "--threads", "2"});
      CHECK(openvino.summary.at("engine").get<std::string>().starts_with("openvino 20"));
      CHECK(check_same(torch.pictures, openvino.pictures) > 50);
    }
    CHECK(found(bench, bench.path("in/64.png"), {}).summary.at("engine") !=
          "torch");  // where it is here, it is taken
  }
}

TEST_CASE("bfloat16 is OpenVINO's where the CPU has it, else refused, and torch's with auto" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/a.png", drawn_png(64, 64));
  std::ostringstream processors;  // the kernel says that the file has no bytes
  processors << std::ifstream("/proc/cpuinfo").rdbuf();
  REQUIRE(contains(processors.str(), "processor"));
  const bool has_bf16 = contains(processors.str(), "bf16");
  const Found automatic = found(bench, bench.path("in"), {"--precision", "bf16"});
  CHECK((automatic.summary.at("engine") == "torch") == !has_bf16);
  const ProgramResult asked =
      predict({"--checkpoint", bench.path("run"), "--input", bench.path("in"), "--out",
               bench.path("out"), "--engine", "openvino", "--precision", "bf16"});
  CHECK(asked.exit_code == (has_bf16 ? 0 : 78));
  const std::string refusal =
      "--precision bf16: OpenVINO has no bfloat16 arithmetic for this CPU; use fp32, or --engine "
      "torch\n";
  CHECK_MESSAGE(contains(asked.err, refusal) == !has_bf16, asked.err);
}

TEST_CASE("without OpenVINO predict takes torch, or says where to get it when it was asked for") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  fs::create_directory(bench.folder / "empty");
  const std::string picture = bench.folder.write("a.png", drawn_png(64, 64)).string();
  const auto with = [&](const std::string& engine, const std::string& folder) {
    return run({"/usr/bin/env", "LETTERPRESS_OPENVINO=" + folder,
                program_path("letterpress-predict"), "--checkpoint", bench.path("run"), "--input",
                picture, "--out", bench.path("out"), "--device", "cpu", "--json", "--engine",
                engine});
  };
  const ProgramResult automatic = with("auto", bench.path("empty"));
  REQUIRE_MESSAGE(automatic.exit_code == 0, automatic.err);
  CHECK(Json::parse(automatic.last_line()).at("engine") == "torch");
  CHECK_MESSAGE(
      contains(automatic.err,
               "torch computes, for OpenVINO cannot: LETTERPRESS_OPENVINO=" + bench.path("empty") +
                   ": that folder holds no libopenvino_c.so; --engine openvino says what "
                   "to do, --engine torch takes it for good\n"),
      automatic.err);
  CHECK_FALSE(contains(with("torch", bench.path("empty")).err, "torch computes"));
  const ProgramResult refused = with("openvino", bench.path("empty"));
  CHECK(refused.exit_code == 78);
  CHECK_MESSAGE(
      contains(refused.err,
               "LETTERPRESS_OPENVINO=" + bench.path("empty") +
                   ": that folder holds no libopenvino_c.so; pip install openvino, and name the "
                   "folder openvino/libs of its package in LETTERPRESS_OPENVINO; or use --engine "
                   "torch, which takes checkpoints\n"),
      refused.err);
  bench.folder.write("wrong/libopenvino_c.so.1", "no library");
  const ProgramResult wrong = with("openvino", bench.path("wrong"));
  CHECK(wrong.exit_code == 78);
  CHECK_MESSAGE(contains(wrong.err, "OpenVINO: cannot be loaded: "), wrong.err);
  const ProgramResult unknown = with("openvina", "");
  CHECK(unknown.exit_code == 64);
  CHECK_MESSAGE(
      contains(unknown.err,
               "--engine is 'openvina', must be auto, openvino or torch; did you mean 'openvino'?"),
      unknown.err);
  const ProgramResult elsewhere =
      predict({"--checkpoint", bench.path("run"), "--input", picture, "--out", bench.path("out"),
               "--engine", "openvino", "--device", "cuda:1"});
  CHECK(elsewhere.exit_code == 64);
  CHECK_MESSAGE(contains(elsewhere.err,
                         "--engine openvino: computes on the CPU, --device is cuda:1; use "
                         "--device cpu, or --engine torch\n"),
                elsewhere.err);
}

}  // namespace letterpress
