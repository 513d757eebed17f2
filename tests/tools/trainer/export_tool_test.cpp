#include <doctest/doctest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

struct TrainedBench : TrainerBench {
  TrainedBench() {
    const ProgramResult fitted = trainer(fit_words("run"));
    REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
  }
};

/// One for all tests, none of which changes its run.
const TrainedBench& trained_bench() {
  static const TrainedBench bench;
  return bench;
}

// Exit code and words of an export to ONNX that writes nothing.
std::string refused(const std::vector<std::string>& more) {
  const TrainerBench& bench = trained_bench();
  std::vector<std::string> words{"export", "--checkpoint", bench.path("run"),   "--to",
                                 "onnx",   "--out",        bench.path("c.onnx")};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = trainer(words);
  CHECK_FALSE(std::filesystem::exists(bench.path("c.onnx")));
  return std::to_string(result.exit_code) + " " + result.err;
}

}  // namespace

TEST_CASE("export writes what was trained, and says which files") {
  const TrainerBench& bench = trained_bench();
  const ProgramResult onnx = trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx",
                                      "--out", bench.path("a.onnx"), "--json"});
  REQUIRE_MESSAGE(onnx.exit_code == 0, onnx.err);
  CHECK(nlohmann::json::parse(onnx.last_line()) ==
        nlohmann::json{{"files", {bench.path("a.onnx")}}, {"model", "yolov3-tiny"}});
  const std::string bytes = read_file(bench.path("a.onnx"));
  CHECK(bytes.find(R"(["red","green","blue"])") != std::string::npos);
  CHECK(
      bytes.find(
          R"({"scale":"fit","rounding":"nearest","place":"centre","fill":114,"resize":"linear"})") !=
      std::string::npos);
  CHECK(bytes.find(R"("values":"level / 255")") != std::string::npos);
  CHECK(bytes.find(R"({"boxes":{"columns":["x1","y1","x2","y2"],)") != std::string::npos);

  const ProgramResult darknet = trainer({"export", "--checkpoint", bench.path("run"), "--to",
                                         "darknet", "--out", bench.path("b.cfg")});
  CHECK(darknet.out ==
        bench.path("b.cfg") + "\n" + bench.path("b.weights") + "\n" + bench.path("b.names") + "\n");
  CHECK(read_file(bench.path("b.names")) == "red\ngreen\nblue\n");
  // Header of 20 bytes; parameters and statistics of YOLOv3-tiny for 3 classes.
  CHECK(std::filesystem::file_size(bench.path("b.weights")) == 20 + 4 * (8'674'496 + 6'368));
}

TEST_CASE("metadata say which columns detections have, in which order, and what is suppressed") {
  const TrainerBench& bench = trained_bench();
  REQUIRE(
      trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--out",
               bench.path("d.onnx"), "--output", "detections", "--conf", "0.5", "--iou", "0.25"})
          .exit_code == 0);
  const std::string bytes = read_file(bench.path("d.onnx"));
  CHECK(bytes.find(R"({"detections":{"columns":["picture","x1","y1","x2","y2","score","class"],)"
                   R"("order":"picture, class, then score from high to low",)") !=
        std::string::npos);
  CHECK(bytes.find(R"({"in_file":true,"confidence":0.5,"iou":0.25,"classes":"each by itself",)"
                   R"("max_detections":300,"max_detections_per":"picture and class"})") !=
        std::string::npos);
}

TEST_CASE("flags that an ONNX file has no use for, or out of range, are refused with their words") {
  CHECK(refused({"--output", "decode"})
            .starts_with("64 letterpress-trainer export: --output is 'decode', must be raw, "
                         "decoded, detections or ultralytics; did you mean 'decoded'?"));
  CHECK(refused({"--verify", ""}).find("--verify is '', must be onnxruntime, ") !=
        std::string::npos);
  CHECK(refused({"--batch", "-1"}).find("--batch is -1, must be 0 (any number) or more") !=
        std::string::npos);
  const auto refused_detections = [&](const std::string& flag, const std::string& value) {
    return refused({"--output", "detections", flag, value});
  };
  CHECK(refused_detections("--conf", "1").find("--conf is 1, must be 0 or more and under 1") !=
        std::string::npos);
  CHECK(refused_detections("--iou", "0").find("--iou is 0, must be over 0 and at most 1") !=
        std::string::npos);
  CHECK(refused_detections("--max-detections", "0")
            .find("--max-detections is 0, must be 1 or more") != std::string::npos);
  for (const std::string flag : {"--conf", "--iou", "--max-detections"}) {
    const std::string also = flag == "--conf" ? ", and --int8 measures with" : "";
    CHECK(refused({"--output", "decoded", flag, "1"})
              .starts_with("64 letterpress-trainer export: " + flag +
                           " says how boxes become detections, which only --output "
                           "detections writes" +
                           also + "; leave it out"));
  }
}

TEST_CASE("flags of ONNX files are refused for Darknet's") {
  const TrainerBench& bench = trained_bench();
  for (const std::vector<std::string>& flag :
       {std::vector<std::string>{"--half"}, {"--batch", "1"}, {"--output", "raw"}}) {
    std::vector<std::string> words{"export",  "--checkpoint", bench.path("run"),  "--to",
                                   "darknet", "--out",        bench.path("c.cfg")};
    words.insert(words.end(), flag.begin(), flag.end());
    const ProgramResult result = trainer(words);
    CHECK(result.exit_code == 64);
    CHECK(result.err.find(flag.front() +
                          " is of ONNX files, --to darknet has no place for it; leave it out") !=
          std::string::npos);
    CHECK_FALSE(std::filesystem::exists(bench.path("c.cfg")));
  }
}

TEST_CASE(
    "a suppression that ONNX has no operator for is refused, and what is to be done instead") {
  CHECK(refused({"--nms", "soft"})
            .find("--nms soft says how boxes become detections, which only --output "
                  "detections writes; "
                  "leave it out") != std::string::npos);
  for (const std::string name : {"soft", "diou"}) {
    CHECK(refused({"--output", "detections", "--nms", name})
              .find("--nms " + name +
                    ": ONNX has no operator for it, only class and agnostic can be exported; "
                    "export --output decoded and "
                    "suppress its boxes where they are used") != std::string::npos);
  }
  CHECK(refused({"--output", "detections", "--nms", "clas"})
            .find("unknown suppression 'clas'; did you mean 'class'?") != std::string::npos);
}

TEST_CASE("export does not write over its checkpoint, nor where there is no folder") {
  const TrainerBench& bench = trained_bench();
  const std::string best = bench.path("run/best.safetensors"), before = read_file(best);
  const ProgramResult itself =
      trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--out", best});
  CHECK(itself.exit_code == 73);
  CHECK(itself.err.find("--out " + best +
                        ": is the checkpoint that is exported; name another file") !=
        std::string::npos);
  CHECK(read_file(best) == before);
  const ProgramResult nowhere = trainer({"export", "--checkpoint", bench.path("run"), "--to",
                                         "onnx", "--out", bench.path("nowhere/c.onnx")});
  CHECK(nowhere.exit_code == 73);
  CHECK(nowhere.err.find("--out " + bench.path("nowhere/c.onnx") + ": there is no folder " +
                         bench.path("nowhere")) != std::string::npos);
}

TEST_CASE("an export does not write over what is beside --out and is something else") {
  const TrainerBench& bench = trained_bench();
  std::filesystem::create_directory(bench.folder / "own");
  const auto exported = [&](const std::string& to, const std::string& checkpoint,
                            const std::string& out) {
    const ProgramResult result = trainer(
        {"export", "--checkpoint", bench.path(checkpoint), "--to", to, "--out", bench.path(out)});
    return std::to_string(result.exit_code) + " " + result.err;
  };
  std::filesystem::copy_file(bench.folder / "run/best.safetensors",
                             bench.folder / "own/ck.weights");
  CHECK(contains(exported("darknet", "own/ck.weights", "own/ck.cfg"),
                 "is the checkpoint that is exported"));
  CHECK(trainer({"inspect", "--checkpoint", bench.path("own/ck.weights")}).exit_code == 0);
  for (const char* own : {"own/a.weights", "own/a.cfg", "own/a.names"}) {
    CAPTURE(own);
    replace_file(bench.path(own), "my own notes");
    const std::string refused = exported("darknet", "run", "own/a.cfg");
    CHECK(contains(refused, "73 letterpress-trainer export: --out " + bench.path(own)));
    CHECK(read_file(bench.path(own)) == "my own notes");
    std::filesystem::remove(bench.path(own));
  }
  CHECK(contains(exported("darknet", "run", "own"), "73 "));  // a folder
  replace_file(bench.path("own/m.bin"), "precious");
  CHECK(contains(exported("openvino", "run", "own/m.xml"),
                 bench.path("own/m.bin") + ": is there, without the m.xml of an export"));
  CHECK(exported("darknet", "run", "own/a.cfg").starts_with("0 "));
  CHECK(exported("darknet", "run", "own/a.cfg").starts_with("0 "));  // its own
}

TEST_CASE(
    "a file that cannot be written is named as it was wished for, with exit 74, and nothing is "
    "left of it") {
  const TrainerBench& bench = trained_bench();
  std::filesystem::create_directory(bench.folder / "out");
  for (const auto& [to, out, written] : {std::tuple{"onnx", "out/a.onnx", "out/a.onnx"},
                                         std::tuple{"darknet", "out/b.cfg", "out/b.weights"}}) {
    check_named_as_too_large(
        run_with_small_files(64, {program_path("letterpress-trainer"), "export", "--checkpoint",
                                  bench.path("run"), "--to", to, "--out", bench.path(out)}),
        bench.path(written));
    CHECK(std::filesystem::is_empty(bench.folder / "out"));
  }
}

TEST_CASE("an exported model finds the boxes that eval finds, in onnxruntime and in OpenCV's dnn" *
          doctest::test_suite("needs onnxruntime")) {
  const TrainerBench bench({.train = 16, .val = 6});
  REQUIRE(trainer({"fit", "--store", bench.path("store"), "--out", bench.path("run"), "--batch",
                   "4", "--epochs", "30", "--lr", "0.004", "--device", "cpu"})
              .exit_code == 0);
  const std::string confidence = "0.25", iou = "0.5";
  const auto words = [&](std::vector<std::string> first, std::vector<std::string> more) {
    first.insert(first.end(), {"--checkpoint", bench.path("run")});
    first.insert(first.end(), more.begin(), more.end());
    const ProgramResult result = trainer(first);
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  };
  words({"eval", "--store", bench.path("store"), "--device", "cpu", "--conf", confidence, "--iou",
         iou},
        {"--coco-out", bench.path("found.json"), "--coco-truth-out", bench.path("truth.json")});
  words({"export", "--to", "onnx", "--output", "detections", "--conf", confidence, "--iou", iou},
        {"--out", bench.path("a.onnx")});
  words({"export", "--to", "onnx", "--output", "ultralytics"}, {"--out", bench.path("c.onnx")});
  words({"export", "--to", "darknet"}, {"--out", bench.path("b.cfg")});
  const ProgramResult compared =
      run({LETTERPRESS_TEST_PYTHON, LETTERPRESS_SOURCE_DIR "/tests/tools/trainer/exported_boxes.py",
           bench.path("store"), bench.path("found.json"), bench.path("truth.json"), confidence, iou,
           bench.path("a.onnx"), bench.path("c.onnx"), bench.path("b.cfg")});
  if (compared.exit_code == 77 || compared.exit_code == 127)
    return skip("no python3 with h5py, onnxruntime and OpenCV; scripts/setup.sh --tests");
  std::cout << compared.out << std::flush;  // for scripts/agreement.py
  CHECK_MESSAGE(compared.exit_code == 0, compared.err);
}
