// Formats and precisions that programs in Python make.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/trainer/finding_network.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

ProgramResult converted(const std::string& to, const std::string& out,
                        const std::vector<std::string>& more) {
  std::vector<std::string> words{"/usr/bin/env",
                                 "PYTHONPATH=" LETTERPRESS_SOURCE_DIR "/.deps/openvino",
                                 program_path("letterpress-trainer"),
                                 "export",
                                 "--checkpoint",
                                 finding_network().path("run"),
                                 "--to",
                                 to,
                                 "--out",
                                 finding_network().path(out)};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

std::string not_converted(const std::string& to, const std::string& out,
                          const std::vector<std::string>& more) {
  const ProgramResult result = converted(to, out, more);
  CHECK_FALSE(fs::exists(finding_network().path(out)));
  CHECK_FALSE(fs::exists(finding_network().path(out) + ".parity.json"));
  return std::to_string(result.exit_code) + " " + result.err;
}

nlohmann::json certificate_of(const std::string& out) {
  const std::string file = finding_network().path(out);
  const auto json = nlohmann::json::parse(read_file(file + ".parity.json"));
  CHECK(json["digest"] == hash_file(file).hex());
  return json;
}

bool has(const std::string& modules) {
  return run({"/usr/bin/env", "PYTHONPATH=" LETTERPRESS_SOURCE_DIR "/.deps/openvino",
              LETTERPRESS_TEST_PYTHON, "-c", "import " + modules})
             .exit_code == 0;
}

}  // namespace

TEST_CASE("OpenVINO's format has the metadata, and finds what predict finds" *
          doctest::test_suite("needs openvino")) {
  if (!has("numpy, PIL, openvino")) return skip("no python3 with openvino");
  const ProgramResult result = converted("openvino", "a.xml",
                                         {"--output", "detections", "--conf", "0.1", "--verify",
                                          "openvino", "--python", LETTERPRESS_TEST_PYTHON});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const std::string xml = finding_network().path("a.xml");
  CHECK(result.out == xml + "\n" + finding_network().path("a.bin") + "\n" + xml + ".parity.json\n");
  CHECK(contains(read_file(xml), "letterbox"));
  const auto certificate = certificate_of("a.xml");
  CHECK(certificate["runtime"].get<std::string>().starts_with("openvino 20"));
  CHECK(certificate["detections"] > 10);
  CHECK(certificate["largest_score_difference"] < 1e-4);
}

TEST_CASE("without OpenVINO's package its format is refused with what to do") {
  const std::string python = shell_program("python", "echo has no openvino >&2; exit 77\n");
  CHECK(not_converted("openvino", "none.xml", {"--python", python}) ==
        "78 letterpress-trainer export: --to openvino: " + python +
            " has no openvino; pip install openvino, name another --python, or export --to onnx, "
            "which OpenVINO reads too\n");
  CHECK(not_converted("openvino", "none.onnx", {}) ==
        "64 letterpress-trainer export: --out " + finding_network().path("none.onnx") +
            ": must end in .xml: OpenVINO looks for the weights in the .bin beside it; name "
            "model.xml\n");
  CHECK(contains(not_converted("openvino", "none.xml", {"--verify", "onnxruntime"}),
                 "64 letterpress-trainer export: --verify onnxruntime: does not read OpenVINO's "
                 "format; use --verify openvino\n"));
}

TEST_CASE("int8 is measured before it is published" * doctest::test_suite("needs onnxruntime")) {
  if (!has("numpy, onnx, onnxruntime, PIL")) return skip("no python3 with onnxruntime and onnx");
  const std::vector<std::string> words{"--int8", "--output", "detections",           "--conf",
                                       "0.1",    "--python", LETTERPRESS_TEST_PYTHON};
  std::vector<std::string> allowed = words;
  allowed.insert(allowed.end(), {"--max-recall-loss", "100"});
  const ProgramResult result = converted("onnx", "int8.onnx", allowed);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.err, " % in int8, at confidence 0.1, of "));
  const auto certificate = certificate_of("int8.onnx");
  CHECK(certificate["precision"] == "int8");
  CHECK(certificate["pictures"] == 3);  // the rows of val
  CHECK(certificate["recall"]["float32"] > 0);
  CHECK(certificate["recall"]["int8"] > 0);
  CHECK(contains(read_file(finding_network().path("int8.onnx")), "QuantizeLinear"));

  // A quantised network that finds nothing.
  const std::string blind =
      shell_program("blind",
                    "case \"$2 $3\" in\n"
                    "*detect.py*int8.onnx) echo '[{\"picture\":\"0\",\"width\":64,\"height\":64,"
                    "\"detections\":[]},{\"picture\":\"1\",\"width\":64,\"height\":64,"
                    "\"detections\":[]},{\"picture\":\"2\",\"width\":64,\"height\":64,"
                    "\"detections\":[]}]' > \"$5\"; echo none 1 ;;\n"
                    "*) exec '" LETTERPRESS_TEST_PYTHON "' \"$@\" ;;\nesac\n");
  std::vector<std::string> worse = words;
  worse.back() = blind;
  const std::string said = not_converted("onnx", "worse.onnx", worse);
  CHECK(said.starts_with("65 letterpress-trainer export: --int8: recall "));
  CHECK(contains(said, " % in float32, 0.00 % in int8, at confidence 0.1, of "));
  CHECK(contains(said,
                 " points less, at most 0.2 may be; nothing was published; to accept this, pass "
                 "--max-recall-loss "));
}

TEST_CASE("what cannot be in int8 is refused before anything is made") {
  const std::string start = "64 letterpress-trainer export: ";
  CHECK(not_converted("onnx", "no.onnx", {"--max-recall-loss", "1"}) ==
        start +
            "--max-recall-loss: says what --int8 may cost, which is not given; give --int8 too, "
            "or leave it out\n");
  CHECK(not_converted("onnx", "no.onnx", {"--int8", "--half"}) ==
        start +
            "--int8: does not go with --half: a layer computes in one of them; leave --half out\n");
  CHECK(contains(not_converted("onnx", "no.onnx", {"--int8", "--verify", "onnxruntime"}),
                 start + "--int8: does not go with --verify: scores are not predict's in int8"));
  CHECK(contains(not_converted("onnx", "no.onnx", {"--int8", "--output", "raw"}),
                 start + "--int8: compares detections, and raw outputs are not even boxes"));
  CHECK(contains(not_converted("darknet", "no.cfg", {"--int8"}),
                 start + "--int8 is of ONNX files, --to darknet has no place for it"));
  const TempDir other;
  DrawnStore({.side = 96, .train = 4, .val = 2}).publish(other / "store");
  CHECK(
      contains(not_converted("onnx", "no.onnx", {"--int8", "--store", (other / "store").string()}),
               "78 letterpress-trainer export: --store " + (other / "store").string() +
                   ": holds rows of side 96, the network takes "));
}

TEST_CASE("OpenCV's dnn is a runtime, of boxes that are not suppressed in the file" *
          doctest::test_suite("needs onnxruntime")) {
  if (!has("numpy, PIL, cv2, onnx")) return skip("no python3 with opencv and onnx");
  for (const std::string output : {"decoded", "ultralytics"}) {
    CAPTURE(output);
    const ProgramResult result =
        converted("onnx", "cv.onnx",
                  {"--output", output, "--verify", "opencv", "--python", LETTERPRESS_TEST_PYTHON});
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    const auto certificate = certificate_of("cv.onnx");
    CHECK(certificate["runtime"].get<std::string>().starts_with("opencv "));
    CHECK(certificate["largest_score_difference"] < 1e-4);
  }
  CHECK(not_converted("onnx", "no.onnx", {"--output", "detections", "--verify", "opencv"}) ==
        "64 letterpress-trainer export: --verify opencv: OpenCV's dnn has no operator for "
        "suppression; export --output decoded, whose boxes detect.py suppresses\n");
}

}  // namespace letterpress
