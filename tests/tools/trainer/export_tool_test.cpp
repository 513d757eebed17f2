#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

TEST_CASE("export writes what was trained, and says which files; each refusal has its exit code and its words") {
  const TrainerBench bench;
  const ProgramResult fitted = trainer(bench.fit_words("run"));
  REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);

  const ProgramResult onnx =
      trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--out", bench.path("a.onnx"), "--json"});
  REQUIRE_MESSAGE(onnx.exit_code == 0, onnx.err);
  CHECK(nlohmann::json::parse(onnx.last_line()) == nlohmann::json{{"files", {bench.path("a.onnx")}}, {"model", "yolov3-tiny"}});
  const std::string bytes = read_file(bench.path("a.onnx"));
  CHECK(bytes.find(R"(["red","green","blue"])") != std::string::npos);
  CHECK(bytes.find(R"({"scale":"fit","rounding":"nearest","place":"centre","fill":114,"resize":"linear"})") != std::string::npos);

  const ProgramResult darknet = trainer({"export", "--checkpoint", bench.path("run"), "--to", "darknet", "--out", bench.path("b.cfg")});
  CHECK(darknet.out == bench.path("b.cfg") + "\n" + bench.path("b.weights") + "\n" + bench.path("b.names") + "\n");
  CHECK(read_file(bench.path("b.names")) == "red\ngreen\nblue\n");
  // Header of 20 bytes; parameters and statistics of REFERENCE's count for 3 classes.
  CHECK(std::filesystem::file_size(bench.path("b.weights")) == 20 + 4 * (8'674'496 + 6'368));

  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--out", bench.path("c.onnx")};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = trainer(words);
    CHECK_FALSE(std::filesystem::exists(bench.path("c.onnx")));
    return std::to_string(result.exit_code) + " " + result.err;
  };
  CHECK(refused({"--output", "decode"})
            .starts_with("64 letterpress-trainer export: --output: unknown output 'decode'; did you mean 'decoded'?"));
  CHECK(refused({"--batch", "-1"}).find("--batch is -1, must be 0 (any number) or more") != std::string::npos);
  CHECK(refused({"--conf", "1"}).starts_with("64 "));
  CHECK(refused({"--iou", "0"}).starts_with("64 "));
  CHECK(refused({"--max-detections", "0"}).starts_with("64 "));
  const std::string best = bench.path("run/best.safetensors"), before = read_file(best);
  const ProgramResult itself = trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--out", best});
  CHECK(itself.exit_code == 73);
  CHECK(itself.err.find("--out " + best + ": is the checkpoint that is exported; name another file") != std::string::npos);
  CHECK(read_file(best) == before);
  const ProgramResult nowhere =
      trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--out", bench.path("nowhere/c.onnx")});
  CHECK(nowhere.exit_code == 73);
  CHECK(nowhere.err.find("--out " + bench.path("nowhere/c.onnx") + ": there is no folder " + bench.path("nowhere")) != std::string::npos);
}
