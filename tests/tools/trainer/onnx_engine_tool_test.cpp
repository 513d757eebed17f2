// predict with an exported ONNX file in place of its checkpoint.
#include <doctest/doctest.h>

#include <array>

#include "tests/skip.h"
#include "tests/tools/trainer/engine_results.h"
#include "tests/tools/trainer/finding_network.h"
#include "tests/trainer/openvino/openvino_here.h"

namespace letterpress {
namespace {

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

}  // namespace

TEST_CASE("an ONNX file of export predicts what its checkpoint does, whatever its batch" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  for (const std::string& model : models_of_all_kinds()) {
    CAPTURE(model);
    const FoundByTorch run(model);
    const auto& [bench, torch] = run;
    for (const std::string batch : {"0", "4"}) {
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

TEST_CASE("an ONNX file that gives something else than its metadata say is refused" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  bench.folder.write("in/a.png", drawn_png(64, 64));
  export_run(bench, "a.onnx", {});
  const std::string sealed = read_file(bench.path("a.onnx"));
  const std::string whole = sealed.substr(0, sealed.size() - 44);  // without its digest
  const auto edited = [&](const std::string& text, const std::string& other) {
    std::string bytes = whole;
    const std::size_t at = bytes.rfind(text);
    REQUIRE(at != std::string::npos);
    REQUIRE(text.size() == other.size());
    bench.folder.write("a.onnx", bytes.replace(at, text.size(), other));
    const ProgramResult result = predict({"--checkpoint", bench.path("a.onnx"), "--input",
                                          bench.path("in"), "--out", bench.path("out")});
    CHECK(result.exit_code == 78);
    return result.err;
  };
  const std::string classes = edited("\"red\",\"green\"", "\"red-o-green\"");  // one name fewer
  CHECK(contains(classes, "a.onnx: openvino 20"));
  CHECK(contains(classes, ": returns "));
  CHECK(classes.ends_with("; export it again, or predict with its checkpoint\n"));
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
        "64 letterpress-predict: --engine torch: OpenVINO runs ONNX files, on the CPU; leave "
        "--engine out, or predict with the checkpoint\n");
  CHECK(contains(refusal({"--device", "cuda:0"}),
                 "64 letterpress-predict: --device cuda:0: OpenVINO runs ONNX files, on the CPU; "
                 "leave --device out"));
  const std::string whole = read_file(file);
  std::string flipped = whole;
  flipped[whole.size() / 3] ^= 1;  // of a weight
  bench.folder.write("a.onnx", flipped);
  CHECK(refusal({}) == "65 letterpress-predict: " + file +
                           ": is not what was exported: its content does not match its digest; it "
                           "is damaged, or another program changed it; export it again\n");
  bench.folder.write("a.onnx", whole.substr(0, whole.size() / 2));
  CHECK(refusal({}) ==
        "65 letterpress-predict: " + file + ": is not a whole ONNX file; export it again\n");
  export_run(bench, "a.onnx", {"--output", "detections"});
  CHECK(refusal({}) == "78 letterpress-predict: " + file +
                           ": metadata 'outputs': names other outputs than boxes and scores; "
                           "export it with --output decoded\n");
  CHECK(contains(trainer({"inspect", "--checkpoint", file}).err,
                 file + ": is an ONNX file, must be a checkpoint; only letterpress-predict takes "
                        "both; give the checkpoint that it was exported from\n"));
  bench.folder.write("a.onnx", std::string("\x3a\x00", 2));  // a graph of nothing, of somebody else
  CHECK(contains(refusal({}), ": metadata 'side': is not there: not an export of "));
}

}  // namespace letterpress
