#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "letterpress/page/png.h"
#include "letterpress/shards/store.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/trainer/finding_network.h"

namespace letterpress {
namespace {

ProgramResult exported(const std::vector<std::string>& more) {
  const TrainerBench& bench = finding_network();
  std::filesystem::create_directory(bench.path("tmp"));
  std::vector<std::string> words{"/usr/bin/env",
                                 "TMPDIR=" + bench.path("tmp"),
                                 program_path("letterpress-trainer"),
                                 "export",
                                 "--to",
                                 "onnx",
                                 "--out",
                                 bench.path("a.onnx")};
  words.insert(words.end(), more.begin(), more.end());
  if (std::ranges::find(more, "--checkpoint") == more.end())
    words.insert(words.end(), {"--checkpoint", bench.path("run")});
  const ProgramResult result = run(words);
  CHECK(std::filesystem::is_empty(bench.path("tmp")));
  return result;
}

// The certificate of an export that succeeds. Removes both files.
nlohmann::json certified(const std::vector<std::string>& more) {
  const ProgramResult result = exported(more);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const std::string file = finding_network().path("a.onnx"), certificate = file + ".parity.json";
  CHECK(result.out == file + "\n" + certificate + "\n");
  const auto json = nlohmann::json::parse(read_file(certificate));
  CHECK(json["digest"] == hash_file(file).hex());
  for (const std::string& written : {file, certificate}) std::filesystem::remove(written);
  return json;
}

// Exit code and what is said of an export that publishes nothing.
std::string refused(const std::vector<std::string>& more) {
  const ProgramResult result = exported(more);
  CHECK_FALSE(std::filesystem::exists(finding_network().path("a.onnx")));
  CHECK_FALSE(std::filesystem::exists(finding_network().path("a.onnx.parity.json")));
  return std::to_string(result.exit_code) + " " + result.err;
}

// Finds what predict found, in files that are there, and only those.
std::string same_program(const std::string& before = "") {
  const char* const copy =
      "\nwhile IFS= read -r file; do [ -f \"$file\" ] || exit 9; done < \"$2\"\n"
      "cp \"$(dirname \"$2\")/detections.json\" \"$3\"\n";
  return shell_program("same", before + copy);
}

bool has_onnxruntime() {
  return run({LETTERPRESS_TEST_PYTHON, "-c", "import numpy, onnxruntime, PIL"}).exit_code == 0;
}

}  // namespace

TEST_CASE("a certificate says what was compared, with what, and how far apart it was" *
          doctest::test_suite("needs onnxruntime")) {
  if (!has_onnxruntime()) return skip("no python3 with onnxruntime; scripts/setup.sh --tests");
  for (const std::vector<std::string>& output :
       {std::vector<std::string>{"--output", "detections", "--conf", "0.1"},
        {"--output", "detections", "--conf", "0.1", "--max-detections", "1"},
        {"--output", "detections", "--conf", "0.1", "--max-detections", "1", "--nms", "agnostic"},
        {"--output", "decoded"},
        {"--output", "ultralytics"}}) {
    CAPTURE(output[1]);
    std::vector<std::string> words{"--verify", "onnxruntime", "--python", LETTERPRESS_TEST_PYTHON};
    words.insert(words.end(), output.begin(), output.end());
    const auto certificate = certified(words);
    CHECK(certificate["runtime"].get<std::string>().starts_with("onnxruntime 1."));
    CHECK(certificate["pictures"] == 64);
    CHECK(certificate["from"] == "drawn");  // the store's pictures have no files
    CHECK(certificate["detections"] > 10);
    CHECK(certificate["largest_score_difference"] < 1e-4);
    CHECK(certificate["differing"] == 0);
  }
}

TEST_CASE("a deployment with another letterbox is not certified, and nothing is published" *
          doctest::test_suite("needs onnxruntime")) {
  if (!has_onnxruntime()) return skip("no python3 with onnxruntime; scripts/setup.sh --tests");
  for (const std::string wrong : {"place='top_left'", "fill=0", "rounding='truncate'"}) {
    CAPTURE(wrong);
    const std::string detect = shell_program(
        "detect", "exec '" LETTERPRESS_TEST_PYTHON
                  "' -B - \"$@\" <<'END'\n"
                  "import sys; sys.path.insert(0, '" LETTERPRESS_SOURCE_DIR
                  "/samples/deploy')\n"
                  "import detect, pixels\n"
                  "right = pixels.make_frame\n"
                  "def make_frame(file, side, rule, depth): return right(file, side, dict(rule, " +
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
  const auto certificate =
      certified({"--output", "detections", "--conf", "0.1", "--verify", detect});
  CHECK(certificate["runtime"].get<std::string>().ends_with(" in C++"));
  CHECK(certificate["program"] == detect);
  CHECK(certificate["detections"] > 10);
  CHECK(certificate["largest_score_difference"] < 1e-4);
}

TEST_CASE("a file in float16 has wider limits" * doctest::test_suite("needs onnxruntime")) {
  if (!has_onnxruntime()) return skip("no python3 with onnxruntime; scripts/setup.sh --tests");
  const auto certificate =
      certified({"--output", "detections", "--conf", "0.1", "--half", "--verify", "onnxruntime",
                 "--python", LETTERPRESS_TEST_PYTHON});
  CHECK(certificate["precision"] == "float16");
  CHECK(certificate["limits"]["score"] == 0.02);
  CHECK(certificate["detections"] > 10);
}

TEST_CASE("where boxes are right and some are missing, the advice is of suppression" *
          doctest::test_suite("needs onnxruntime")) {
  if (!has_onnxruntime()) return skip("no python3 with onnxruntime; scripts/setup.sh --tests");
  const std::string missing = shell_program(
      "missing", "exec '" LETTERPRESS_TEST_PYTHON
                 "' - \"$@\" <<'END'\n"
                 "import json, pathlib, sys\n"
                 "found = json.loads((pathlib.Path(sys.argv[2]).parent / "
                 "'detections.json').read_text())\n"
                 "max(found, key=lambda one: len(one['detections']))['detections'].pop(0)\n"
                 "pathlib.Path(sys.argv[3]).write_text(json.dumps(found))\n"
                 "END\n");
  const std::string said = refused({"--verify", missing});
  CHECK_CONTAINS(said,
                 "scores differ from predict's by up to 0, at most 0.001 may be; corners by up to "
                 "0 pixels, 0 of the picture's longer side, at most 0.001 may be; of ");
  CHECK_CONTAINS(said, " detections 1 are of one program alone, the first is ");
  CHECK_CONTAINS(said,
                 "; nothing was published; which boxes are detections must be decided as the "
                 "file's metadata say, suppression\n");
}

TEST_CASE("a runtime or a program that is not there is said in one line") {
  const std::string python = shell_program("python", "echo has no onnxruntime >&2; exit 77\n");
  CHECK(refused({"--verify", "onnxruntime", "--python", python}) ==
        "78 letterpress-trainer export: --verify onnxruntime: " + python +
            " has no onnxruntime; pip install numpy pillow onnxruntime, name another --python, or "
            "leave --verify out\n");
  CHECK(refused({"--verify", "/nowhere/detect"}) ==
        "78 letterpress-trainer export: /nowhere/detect: cannot be started: No such file or "
        "directory; name a program that is there\n");
  const std::string failing =
      shell_program("failing", "echo loading >&2; echo no camera >&2; exit 3\n");
  CHECK(refused({"--verify", failing}) == "65 letterpress-trainer export: --verify " + failing +
                                              ": its program ended with exit code 3: no camera\n");
}

TEST_CASE("a signal ends an export that is being verified, with its exit code") {
  for (const std::string then : {"exit 1", "exec sleep 600", "sleep 600; true"}) {
    CAPTURE(then);
    const std::string signalling = shell_program("signalling", "kill -TERM $PPID; " + then + "\n");
    CHECK(refused({"--verify", signalling}) == "143 ");
  }
  CHECK(refused({"--verify", same_program("kill -TERM $PPID")}) == "143 ");
}

TEST_CASE("pictures are those of val, whatever their names; what is not a picture is counted") {
  const TempDir dir;
  std::vector<LedgerEntry> ledger;
  for (const std::string name : {"a.png", "b\xff.png", "c.png", "d\xfe.png"}) {
    const std::vector<std::uint8_t> grey(std::size_t{3} * 64 * 48, 100);
    const auto png = encode_png(grey, 64, 48);
    const std::string content(reinterpret_cast<const char*>(png.data()), png.size());
    replace_file(dir / name, name == "c.png" ? "no picture" : content);
    ledger.push_back({.path = (dir / name).string(), .name = name, .split = "val"});
  }
  REQUIRE(Store::create(dir / "store").publish({.generation = 1}, ledger));
  const auto certificate = certified({"--output", "detections", "--conf", "0", "--store",
                                      (dir / "store").string(), "--verify", same_program()});
  CHECK(certificate["from"] == "val");
  CHECK(certificate["store"] == (dir / "store").string());
  CHECK(certificate["asked"] == 4);
  CHECK(certificate["rejected"] == 1);
  CHECK(certificate["pictures"] == 3);
}

TEST_CASE("a store that is named must have pictures") {
  const std::string store = finding_network().path("store");
  CHECK(refused({"--store", store, "--verify", same_program()}) ==
        "66 letterpress-trainer export: --store " + store +
            ": has no picture of split val whose file is still where it was; name another store, "
            "or leave it out\n");
}

TEST_CASE("a checkpoint that is replaced meanwhile is not what the certificate names") {
  const std::string run = finding_network().path("run/best.safetensors"),
                    moving = finding_network().path("moving");
  const std::string content = read_file(run);
  replace_file(moving, content);
  const auto certificate = certified(
      {"--checkpoint", moving, "--verify", same_program("echo other > '" + moving + "'")});
  CHECK(certificate["checkpoint_digest"] == hash_file(run).hex());
  CHECK(read_file(moving) == "other\n");
  CHECK(contains(refused({"--checkpoint", moving, "--verify", same_program()}),
                 "65 letterpress-trainer export: " + moving));
}

TEST_CASE("where the certificate cannot be, nothing is published") {
  const std::string certificate = finding_network().path("a.onnx.parity.json");
  std::filesystem::create_directory(certificate);
  const ProgramResult result = exported({"--verify", same_program()});
  CHECK(result.exit_code == 73);
  CHECK(result.err == "letterpress-trainer export: --out's certificate " + certificate +
                          ": is a folder; give the name of a JSON file\n");
  CHECK_FALSE(std::filesystem::exists(finding_network().path("a.onnx")));
  std::filesystem::remove(certificate);
}

TEST_CASE("where nothing is found nothing was compared, and that is not a certificate") {
  CHECK(contains(
      refused({"--output", "detections", "--conf", "0.999999", "--verify", same_program()}),
      "predict finds nothing in 64 pictures with confidence 0.999999, so that nothing was "
      "compared; name the --store of the checkpoint, or export --output detections "
      "with a lower --conf"));
}

TEST_CASE("what cannot be verified is refused before it is exported") {
  const std::string start = "64 letterpress-trainer export: ";
  CHECK(refused({"--verify", "onxruntime"})
            .starts_with(start +
                         "--verify: unknown runtime 'onxruntime'; did you mean 'onnxruntime'? "
                         "known: onnxruntime, openvino, opencv; or give the path of a program, "
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
      trainer({"export", "--checkpoint", finding_network().path("run"), "--to", "darknet", "--out",
               finding_network().path("a.cfg"), "--verify", "onnxruntime"});
  CHECK(darknet.exit_code == 64);
  CHECK(contains(darknet.err, "--verify is of ONNX files, --to darknet has no place for it"));
}

TEST_CASE("an export that was not verified says so, and its file has no certificate of another") {
  const std::string file = finding_network().path("a.onnx"), certificate = file + ".parity.json";
  const std::string advice =
      "not compared with predict; --verify onnxruntime does that on up to 64 pictures\n";
  CHECK(exported({}).err == advice);
  CHECK(exported({"--batch", "2"}).err.empty());  // cannot be compared
  replace_file(certificate, "{}");
  CHECK(exported({}).err == certificate + " was of the file before and is removed\n" + advice);
  CHECK_FALSE(std::filesystem::exists(certificate));
  std::filesystem::remove(file);
}

}  // namespace letterpress
