// What computes predict's layers.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/file.h"
#include "tests/skip.h"
#include "tests/tools/trainer/finding_network.h"
#include "tests/tools/trainer/predicted_pictures.h"
#include "tests/trainer/openvino/openvino_here.h"

namespace letterpress {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kBccd = fs::path(LETTERPRESS_SOURCE_DIR) / "../shared/data/bccd/JPEGImages";

struct Found {
  Json summary, pictures;
};

Found found(const TrainerBench& bench, const std::string& input,
            const std::vector<std::string>& more, const std::string& checkpoint = "run") {
  std::vector<std::string> words{"--checkpoint", bench.path(checkpoint),
                                 "--input",      input,
                                 "--out",        bench.path("out"),
                                 "--no-draw",    "--json",
                                 "--conf",       "0.0001",
                                 "--device",     "cpu"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = predict(words);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return {Json::parse(result.last_line()),
          Json::parse(read_file(bench.folder / "out/detections.json"))};
}

bool same(const Json& one, const Json& other) {
  if (one.at("class") != other.at("class")) return false;
  if (std::abs(one.at("score").get<double>() - other.at("score").get<double>()) > 1e-5)
    return false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (std::abs(one.at("box")[i].get<double>() - other.at("box")[i].get<double>()) > 0.05)
      return false;
  }
  return true;
}

// Of one class, and mostly in the same place.
bool is_near(const Json& one, const Json& other) {
  if (one.at("class") != other.at("class")) return false;
  const auto a = one.at("box").get<std::array<double, 4>>(),
             b = other.at("box").get<std::array<double, 4>>();
  const double width = std::min(a[2], b[2]) - std::max(a[0], b[0]),
               height = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  if (width <= 0 || height <= 0) return false;
  const auto area = [](const auto& box) { return (box[2] - box[0]) * (box[3] - box[1]); };
  return width * height > 0.5 * (area(a) + area(b) - width * height);
}

void export_run(const TrainerBench& bench, const std::string& out,
                const std::vector<std::string>& more) {
  std::vector<std::string> words{"export", "--checkpoint", bench.path("run"), "--to",
                                 "onnx",   "--out",        bench.path(out)};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = trainer(words);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
}

bool has_quantiser() {
  return run({LETTERPRESS_TEST_PYTHON, "-c", "import numpy, onnx, onnxruntime, PIL"}).exit_code ==
         0;
}

// Each detection of one has its counterpart in the other. Returns how many there are.
std::size_t check_same(const Json& ones, const Json& others) {
  std::size_t n = 0;
  REQUIRE(ones.size() == others.size());
  for (std::size_t i = 0; i < ones.size(); ++i) {
    CAPTURE(ones[i].at("picture"));
    CHECK(ones[i].at("picture") == others[i].at("picture"));
    Json theirs = others[i].at("detections");
    REQUIRE(ones[i].at("detections").size() == theirs.size());
    for (const Json& one : ones[i].at("detections")) {
      CAPTURE(one.dump());
      const auto counterpart =
          std::ranges::find_if(theirs, [&](const Json& other) { return same(one, other); });
      REQUIRE(counterpart != theirs.end());
      theirs.erase(counterpart);
      ++n;
    }
  }
  return n;
}

// Wide and high, large and small; photographs too where there are any.
void write_pictures(const TrainerBench& bench) {
  for (const auto& [width, height] :
       {std::pair{100, 80}, {37, 200}, {64, 64}, {300, 20}, {640, 480}})
    bench.folder.write("in/" + std::to_string(width) + ".png", drawn_png(width, height));
  if (!fs::exists(kBccd)) return;
  for (const char* name : {"BloodImage_00000.jpg", "BloodImage_00007.jpg"})
    fs::copy_file(kBccd / name, bench.folder / "in" / name);
}

}  // namespace

TEST_CASE("OpenVINO finds what torch finds, for any batch, models with and without anchors" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  for (const std::string model : {"yolov3-tiny", "yolov8n", "yolo11n"}) {
    CAPTURE(model);
    const TrainerBench bench;
    REQUIRE(trainer(bench.fit_words("run", {"--model", model})).exit_code == 0);
    write_pictures(bench);
    const Found torch = found(bench, bench.path("in"), {"--engine", "torch"});
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

TEST_CASE("an ONNX file of export predicts what its checkpoint does, whatever its batch" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  for (const std::string model : {"yolov3-tiny", "yolov8n"}) {
    CAPTURE(model);
    const TrainerBench bench;
    REQUIRE(trainer(bench.fit_words("run", {"--model", model})).exit_code == 0);
    write_pictures(bench);
    const Found torch = found(bench, bench.path("in"), {"--engine", "torch"});
    for (const std::string batch : {"0", "1", "4"}) {
      CAPTURE(batch);
      export_run(bench, "a.onnx", {"--batch", batch});
      const Found exported = found(bench, bench.path("in"), {"--threads", "2"}, "a.onnx");
      CHECK(exported.summary.at("engine").get<std::string>().starts_with("openvino 20"));
      CHECK(check_same(torch.pictures, exported.pictures) > 50);
    }
  }
}

TEST_CASE("a file in int8 finds nearly what its checkpoint finds" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  if (!has_quantiser()) return skip("no python3 with onnxruntime and onnx");
  const TrainerBench& bench = finding_network();
  export_run(
      bench, "predicted.onnx",
      {"--int8", "--conf", "0.1", "--max-recall-loss", "100", "--python", LETTERPRESS_TEST_PYTHON});
  write_pictures(bench);
  const Json whole = found(bench, bench.path("in"), {}).pictures,
             int8 = found(bench, bench.path("in"), {}, "predicted.onnx").pictures;
  REQUIRE(whole.size() == int8.size());
  std::size_t all = 0, near = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const Json& one : whole[i].at("detections")) {
      if (one.at("score") < 0.05) continue;
      all += 1;
      near += std::ranges::any_of(int8[i].at("detections"),
                                  [&](const Json& other) { return is_near(one, other); });
    }
  }
  MESSAGE(near, " of ", all);
  CHECK(all > 10);
  CHECK(near > all / 2);
}

TEST_CASE("an ONNX file that predict cannot use is refused with what to do") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/a.png", drawn_png(64, 64));
  const auto refusal = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--checkpoint", bench.path("a.onnx"),
                                   "--input",      bench.path("in"),
                                   "--out",        bench.path("out")};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = predict(words);
    return std::to_string(result.exit_code) + " " + result.err;
  };
  const std::string file = bench.path("a.onnx");
  export_run(bench, "a.onnx", {});
  CHECK(refusal({"--engine", "torch"}) ==
        "64 letterpress-predict: --engine torch: a file of ONNX is computed by OpenVINO, on the "
        "CPU; leave it out, or predict with the checkpoint\n");
  CHECK(contains(refusal({"--device", "cuda:0"}),
                 "64 letterpress-predict: --device cuda:0: a file of ONNX is computed by"));
  const std::string whole = read_file(file);
  bench.folder.write("a.onnx", whole.substr(0, whole.size() / 2));
  CHECK(refusal({}) ==
        "65 letterpress-predict: " + file + ": ONNX: is not a whole ONNX file; export it again\n");
  export_run(bench, "a.onnx", {"--output", "detections"});
  CHECK(refusal({}) == "78 letterpress-predict: " + file +
                           ": metadata 'outputs': names other outputs than boxes and scores; "
                           "export it with --output decoded\n");
  bench.folder.write("a.onnx", std::string("\x3a\x00", 2));  // a graph of nothing, of somebody else
  CHECK(contains(refusal({}), ": metadata 'side': is not there: not an export of "));
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
      contains(unknown.err, "--engine: unknown engine 'openvina'; did you mean 'openvino'?"),
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
