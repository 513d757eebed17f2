#include "trainer/exchange/onnx_description.h"

#include <doctest/doctest.h>

#include "tests/message_of.h"
#include "trainer/exchange/network_use.h"

using namespace letterpress;

namespace {

using Metadata = std::map<std::string, std::string>;

CheckpointInfo described_info() {
  CheckpointInfo info{.graph = make_model("yolov8n", {.classes = 2, .side = 96}),
                      .letterbox = {.place = LetterboxRule::Alignment::top_left, .fill = 7},
                      .tiles = TileRule{.overlap = 0.25, .scale = 0.5},
                      .classes = {"a \"b\"", "caf\xc3\xa9"}};
  set_promised(info, {.recall = 0.98, .probability = 0.95, .confidence = 0.125});
  return info;
}

std::string refusal(const std::string& key, const std::string& text) {
  Metadata metadata = describe(described_info(), {});
  metadata[key] = text;
  return message_of([&] { use_of(metadata); });
}

}  // namespace

TEST_CASE("the metadata of an export say all that its checkpoint says of its use") {
  const CheckpointInfo info = described_info();
  for (const NetworkUse& use : {use_of(info), use_of(describe(info, {.confidence = 0.125F}))}) {
    CHECK(use.side == 96);
    CHECK(use.classes == info.classes);
    CHECK(use.letterbox == info.letterbox);
    REQUIRE(use.tiles.has_value());
    CHECK(to_json(*use.tiles) == to_json(*info.tiles));
    REQUIRE(use.promised.has_value());
    CHECK(use.promised->recall == 0.98);
    CHECK(use.promised->probability == 0.95);
    CHECK(use.promised->confidence == 0.125);
    CHECK(use.confidence == 0.125);
  }
  CheckpointInfo plain = info;
  plain.tiles.reset();
  plain.metrics.clear();
  const NetworkUse use = use_of(describe(plain, {}));
  CHECK_FALSE(use.tiles.has_value());
  CHECK_FALSE(use.promised.has_value());
  CHECK(use.confidence == doctest::Approx(kDefaultConfidence));

  const NetworkUse other = use_of(describe(info, {.confidence = 0.5F}));
  CHECK(other.confidence == 0.5);
  CHECK_FALSE(other.promised.has_value());  // it was of another confidence
}

TEST_CASE("metadata that are missing or wrong are refused by their key") {
  const std::string fix = "; export the checkpoint again, with --to onnx";
  CHECK(message_of([] { use_of(Metadata{}); }) ==
        "65 metadata 'side': is not there: not an export of letterpress-trainer" + fix);
  for (const std::string side : {"", "96x", "33", "0", "-32", "99999999999"}) {
    CAPTURE(side);
    CHECK(refusal("side", side) ==
          "65 metadata 'side': is '" + side + "', must be a multiple of 32 from 32 to 8192" + fix);
  }
  for (const std::string classes : {"", "{}", "[]", "[1]", "[\"a\""}) {
    CAPTURE(classes);
    CHECK(refusal("classes", classes) == "65 metadata 'classes': must be a list of names" + fix);
  }
  for (const std::string promise : {"", "[]", "{\"recall\":2}", "{\"recall\":0.5}"}) {
    CAPTURE(promise);
    CHECK(refusal("promise", promise).starts_with("65 metadata 'promise': must have a share '"));
  }
  for (const std::string suppression : {"", "{\"confidence\":\"a\"}"})
    CHECK(refusal("suppression", suppression)
              .starts_with("65 metadata 'suppression': must have a share 'confidence'"));
  CHECK(refusal("letterbox", "[]")
            .starts_with("65 metadata 'letterbox': is wrong: letterbox rule: '[]' is not a JSON"));
  CHECK(refusal("letterbox", std::string(100000, 'x')).size() < 500);
  CHECK(refusal("tiles", "{}").starts_with("65 metadata 'tiles': is wrong: "));
  CHECK(refusal("tiles", "{}").ends_with(fix));
}

TEST_CASE(
    "what float32 promises is not promised of int8 and float16, whose threshold is the same") {
  for (const OnnxOptions& options :
       {OnnxOptions{.confidence = 0.125F, .metadata = {}},
        OnnxOptions{.half = true, .confidence = 0.125F, .metadata = {}},
        OnnxOptions{.int8 = true, .confidence = 0.125F, .metadata = {}}}) {
    const NetworkUse use = use_of(describe(described_info(), options));
    CHECK(use.promised.has_value() == (!options.half && !options.int8));
    CHECK(use.confidence == 0.125);
  }
}

TEST_CASE("a file that suppresses otherwise than the promise was measured does not state it") {
  const auto promises = [](OnnxOptions options) {
    return describe(described_info(), options).contains("promise");
  };
  OnnxOptions options{.output = OnnxOutput::detections, .confidence = 0.125F, .metadata = {}};
  CHECK(promises(options));
  options.iou = 0.05F;
  CHECK_FALSE(promises(options));
  options.output = OnnxOutput::decoded;  // whoever suppresses decides
  CHECK(promises(options));
  CHECK_FALSE(promises({.output = OnnxOutput::detections, .confidence = 0.9F, .metadata = {}}));
  CHECK_FALSE(promises({.output = OnnxOutput::detections,
                        .confidence = 0.125F,
                        .max_detections = 1,
                        .metadata = {}}));
  CHECK_FALSE(promises(
      {.output = OnnxOutput::detections, .confidence = 0.125F, .agnostic = true, .metadata = {}}));
}

TEST_CASE("Ultralytics' programs are told the batch that the file takes") {
  const auto batch = [](int n) {
    return describe(described_info(), {.output = OnnxOutput::ultralytics, .batch = n}).at("batch");
  };
  CHECK(batch(4) == "4");
  CHECK(batch(0) == "1");
}

TEST_CASE("a network that gives whole pictures a class is refused") {
  CheckpointInfo info = described_info();
  info.graph = make_model("minigooglenet", {.classes = 2, .side = 32});
  info.metrics.clear();
  CHECK(message_of([&] { use_of(describe(info, {.output = OnnxOutput::raw})); }) ==
        "78 metadata 'outputs': the network gives whole pictures a class, predict writes boxes; "
        "run it in another program");
}

TEST_CASE("other outputs than boxes and scores are refused with the flag that gives them") {
  for (const OnnxOutput output : {OnnxOutput::raw, OnnxOutput::detections, OnnxOutput::ultralytics})
    CHECK(message_of([&] { use_of(describe(described_info(), {.output = output})); }) ==
          "78 metadata 'outputs': names other outputs than boxes and scores; export it with "
          "--output decoded");
}
