#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/trainer/trained_run.h"

namespace letterpress {
namespace {

/// A network that finds things.
struct TrainedBench : TrainerBench {
  TrainedBench() {
    const ProgramResult fitted = trainer({"fit", "--store", path("store"), "--out", path("run"),
                                          "--batch", "4", "--epochs", "12", "--device", "cpu"});
    REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
  }
};

/// One for all tests, none of which changes its run.
const TrainerBench& trained() {
  static const TrainedBench bench;
  return bench;
}

ProgramResult exported(const std::vector<std::string>& more) {
  const TrainerBench& bench = trained();
  std::vector<std::string> words{"export", "--checkpoint", bench.path("run"),   "--to",
                                 "onnx",   "--out",        bench.path("a.onnx")};
  words.insert(words.end(), more.begin(), more.end());
  return trainer(words);
}

// Exit code and what is said of an export that publishes nothing.
std::string refused(const std::vector<std::string>& more) {
  const ProgramResult result = exported(more);
  CHECK_FALSE(std::filesystem::exists(trained().path("a.onnx")));
  CHECK_FALSE(std::filesystem::exists(trained().path("a.parity.json")));
  return std::to_string(result.exit_code) + " " + result.err;
}

std::string program(const std::string& name, const std::string& text) {
  const std::filesystem::path file = trained().folder.write(name, "#!/bin/sh\n" + text);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

bool has_onnxruntime() {
  return run({LETTERPRESS_TEST_PYTHON, "-c", "import numpy, onnxruntime, PIL"}).exit_code == 0;
}

}  // namespace

TEST_CASE("a certificate says what was compared, with what, and how far apart it was" *
          doctest::test_suite("needs onnxruntime")) {
  if (!has_onnxruntime()) return skip("no python3 with onnxruntime; scripts/setup.sh --tests");
  const TrainerBench& bench = trained();
  for (const std::vector<std::string>& output :
       {std::vector<std::string>{"--output", "detections", "--conf", "0.1"},
        {"--output", "decoded"},
        {"--output", "ultralytics"}}) {
    CAPTURE(output[1]);
    std::vector<std::string> words{"--verify", "onnxruntime", "--python", LETTERPRESS_TEST_PYTHON};
    words.insert(words.end(), output.begin(), output.end());
    const ProgramResult result = exported(words);
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    CHECK(result.out == bench.path("a.onnx") + "\n" + bench.path("a.parity.json") + "\n");
    const auto certificate = nlohmann::json::parse(read_file(bench.path("a.parity.json")));
    CHECK(certificate["digest"] == hash_file(bench.path("a.onnx")).hex());
    CHECK(certificate["runtime"].get<std::string>().starts_with("onnxruntime 1."));
    CHECK(certificate["pictures"] == 64);
    CHECK(certificate["from"] == "drawn");  // the store's pictures have no files
    CHECK(certificate["detections"] > 10);
    CHECK(certificate["largest_score_difference"] < 1e-4);
    CHECK(certificate["differing"] == 0);
    for (const char* name : {"a.onnx", "a.parity.json"}) std::filesystem::remove(bench.path(name));
  }
}

TEST_CASE("a deployment with another letterbox is not certified, and nothing is published" *
          doctest::test_suite("needs onnxruntime")) {
  if (!has_onnxruntime()) return skip("no python3 with onnxruntime; scripts/setup.sh --tests");
  for (const std::string wrong : {"place='top_left'", "fill=0", "rounding='truncate'"}) {
    CAPTURE(wrong);
    const std::string detect =
        program("detect", "exec '" LETTERPRESS_TEST_PYTHON
                          "' -B - \"$@\" <<'END'\n"
                          "import sys; sys.path.insert(0, '" LETTERPRESS_SOURCE_DIR
                          "/samples/deploy')\n"
                          "import detect, pixels\n"
                          "right = pixels.make_frame\n"
                          "def make_frame(file, side, rule): return right(file, side, dict(rule, " +
                              wrong +
                              "))\n"
                              "pixels.make_frame = make_frame\n"
                              "detect.main()\n"
                              "END\n");
    const std::string said = refused({"--verify", detect});
    CHECK(contains(said, "65 letterpress-trainer export: --verify " + detect +
                             ": scores differ from predict's by up to "));
    CHECK(contains(said,
                   "; nothing was published; pixels must be made as the file's metadata "
                   "say"));
  }
}

TEST_CASE("the sample in C++ finds what predict finds" *
          doctest::test_suite("needs onnxruntime in C++")) {
  const std::string detect = LETTERPRESS_BIN_DIR "/../tests/deploy/detect";
  if (!std::filesystem::exists(detect))
    return skip("no onnxruntime_cxx_api.h; ONNXRUNTIME_INCLUDE and ONNXRUNTIME_LIBRARY name it");
  const ProgramResult result =
      exported({"--output", "detections", "--conf", "0.1", "--verify", detect});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const auto certificate = nlohmann::json::parse(read_file(trained().path("a.parity.json")));
  CHECK(certificate["runtime"].get<std::string>().ends_with(" in C++"));
  CHECK(certificate["program"] == detect);
  CHECK(certificate["detections"] > 10);
  CHECK(certificate["largest_score_difference"] < 1e-4);
  for (const char* name : {"a.onnx", "a.parity.json"})
    std::filesystem::remove(trained().path(name));
}

TEST_CASE("a runtime or a program that is not there is said in one line") {
  const std::string python = program("python", "echo has no onnxruntime >&2; exit 77\n");
  CHECK(refused({"--verify", "onnxruntime", "--python", python}) ==
        "78 letterpress-trainer export: --verify onnxruntime: " + python +
            " has no onnxruntime; pip install numpy pillow onnxruntime, name another --python, or "
            "leave --verify out\n");
  CHECK(refused({"--verify", "/nowhere/detect"}) ==
        "78 letterpress-trainer export: /nowhere/detect: cannot be started: No such file or "
        "directory; name a program that is there\n");
  const std::string failing = program("failing", "echo loading >&2; echo no camera >&2; exit 3\n");
  CHECK(refused({"--verify", failing}) == "65 letterpress-trainer export: --verify " + failing +
                                              ": its program ended with exit code 3: no camera\n");
}

TEST_CASE("a signal ends an export that is being verified, with its exit code") {
  const std::string signalling = program("signalling", "kill -TERM $PPID; exit 1\n");
  CHECK(refused({"--verify", signalling}) == "143 ");
}

TEST_CASE("where nothing is found nothing was compared, and that is no certificate") {
  const std::string same = program("same", "cp \"$(dirname \"$2\")/detections.json\" \"$3\"\n");
  CHECK(contains(refused({"--output", "detections", "--conf", "0.999", "--verify", same}),
                 "predict finds nothing in 64 pictures with confidence 0.999, so that nothing was "
                 "compared; name the --store of the checkpoint, or export with a lower --conf"));
}

TEST_CASE("what cannot be verified is refused before it is exported") {
  const std::string start = "64 letterpress-trainer export: ";
  CHECK(refused({"--verify", "onxruntime"})
            .starts_with(start +
                         "--verify: unknown runtime 'onxruntime'; did you mean 'onnxruntime'? "
                         "known: onnxruntime, openvino; or give the path of a program, "
                         "./detect"));
  CHECK(refused({"--python", "python3"}) ==
        start + "--python says how --verify compares; give --verify too, or leave it out\n");
  CHECK(refused({"--verify", "onnxruntime", "--output", "raw"}) ==
        start +
            "--verify: compares detections, and raw outputs are not even boxes; export another "
            "--output, or leave it out\n");
  CHECK(refused({"--verify", "onnxruntime", "--batch", "2"}) ==
        start +
            "--verify: gives the file one picture at a time, and --batch is 2; leave --batch "
            "out\n");
  const ProgramResult darknet =
      trainer({"export", "--checkpoint", trained().path("run"), "--to", "darknet", "--out",
               trained().path("a.cfg"), "--verify", "onnxruntime"});
  CHECK(darknet.exit_code == 64);
  CHECK(contains(darknet.err, "--verify is of ONNX files, --to darknet has no place for it"));
}

TEST_CASE("an export that was not verified says so") {
  const ProgramResult result = exported({});
  CHECK(result.exit_code == 0);
  CHECK(result.err == "not compared with predict; --verify onnxruntime does that on 64 pictures\n");
  std::filesystem::remove(trained().path("a.onnx"));
}

}  // namespace letterpress
