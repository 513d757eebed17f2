// The certificate of an exported network of tiles.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/trainer/trained_on_tiles.h"

namespace letterpress {

using Json = nlohmann::json;

namespace {

// A confidence that leaves eight detections or a few more in the val pictures, however well the
// rounding of this processor let the network learn.
std::string confidence_for_eight(const TrainedOnTiles& trained, const std::string& run) {
  const ProgramResult found = trained.predict(run, {"--no-draw", "--overwrite"});
  REQUIRE_MESSAGE(found.exit_code == 0, found.err);
  std::vector<double> scores;
  for (const Json& picture : Json::parse(read_file(trained.path("out/detections.json")))) {
    for (const Json& detection : picture.at("detections"))
      scores.push_back(detection.at("score").get<double>());
  }
  std::ranges::sort(scores, std::greater());
  std::size_t last = 7;
  while (last + 1 < scores.size() && scores[last] - scores[last + 1] < 1e-4) ++last;
  REQUIRE(last + 1 < scores.size());
  return std::to_string((scores[last] + scores[last + 1]) / 2);
}

}  // namespace

TEST_CASE("an exported network of tiles is certified: cut and put together by its metadata" *
          doctest::test_suite("needs onnxruntime")) {
  if (run({LETTERPRESS_TEST_PYTHON, "-c", "import numpy, onnxruntime, PIL"}).exit_code != 0)
    return skip("no python3 with onnxruntime; scripts/setup.sh --tests");
  const TrainedOnTiles trained;
  const std::string certificate = trained.path("a.onnx.parity.json");
  const auto verified = [&](const std::string& scale, const std::vector<std::string>& output,
                            const std::string& by) {
    std::vector<std::string> words{
        "export", "--checkpoint", trained.path("run" + scale), "--to",
        "onnx",   "--out",        trained.path("a.onnx"),      "--verify",
        by,       "--python",     LETTERPRESS_TEST_PYTHON};
    words.insert(words.end(), output.begin(), output.end());
    return tool("letterpress-trainer", words);
  };
  std::vector<std::string> detections;
  for (const std::string scale : {"0.75", "1"}) {
    CAPTURE(scale);
    trained.build("tiles" + scale, {"--tile", "64", "--overlap", "25%", "--scale", scale});
    trained.fit("tiles" + scale, "run" + scale, {"--lr", "0.004"}, "30");
    detections = {"--output", "detections", "--conf", confidence_for_eight(trained, "run" + scale)};
    const ProgramResult exported = verified(scale, detections, "onnxruntime");
    REQUIRE_MESSAGE(exported.exit_code == 0, exported.err);
    const Json said = Json::parse(read_file(certificate));
    CHECK(said.at("from") == "val");
    CHECK(said.at("pictures") == 2);
    CHECK(said.at("detections") >= 8);
    CHECK(said.at("differing") == 0);
  }
  const ProgramResult decoded = verified("1", {"--output", "decoded"}, "onnxruntime");
  CHECK_MESSAGE(decoded.exit_code == 0, decoded.err);
  const auto deployed = [&](const std::string& wrong) {
    const std::filesystem::path program =
        trained.set.folder.write("wrong", "#!/bin/sh\nexec '" LETTERPRESS_TEST_PYTHON
                                          "' -B - \"$@\" <<'END'\n"
                                          "import sys; sys.path.insert(0, '" LETTERPRESS_SOURCE_DIR
                                          "/samples/deploy')\n"
                                          "import detect, tiles\n"
                                          "starts, join = tiles.starts_of, tiles.merged\n" +
                                              wrong + "\ndetect.main()\nEND\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return verified("1", detections, program.string());
  };
  for (const std::string wrong :
       {"tiles.starts_of = lambda *words: [max(0, x - 3) for x in starts(*words)]",
        "tiles.merged = lambda found, size, iou, together: join(found[::2], size, iou, "
        "together)"}) {
    CAPTURE(wrong);
    const ProgramResult refused = deployed(wrong);
    CHECK(refused.exit_code == 65);
    CHECK_CONTAINS(refused.err, ": scores differ from predict's by up to ");
  }
  CHECK(deployed("").exit_code == 0);
  detections.insert(detections.end(), {"--max-detections", "1"});
  const ProgramResult full = verified("1", detections, "onnxruntime");
  CHECK(full.exit_code == 65);
  CHECK_CONTAINS(full.err, " detections of a class, as many as it may have, ");
}

}  // namespace letterpress
