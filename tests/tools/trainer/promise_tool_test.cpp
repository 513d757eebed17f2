#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/tools/trainer/predicted_pictures.h"
#include "trainer/commands/eval/eval_promise.h"

using namespace letterpress;

namespace {

/// `n` pictures with an object each, found with the scores 1/n, 2/n, ... 1; --truth and
/// --detections of eval.
struct OneObjectEach {
  TempDir folder;
  std::string ground_truth, found;

  explicit OneObjectEach(int n) {
    nlohmann::json truth{{"categories", {{{"id", 1}, {"name", "scratch"}}}}};
    nlohmann::json results = nlohmann::json::array();
    for (int i = 1; i <= n; ++i) {
      const nlohmann::json box{10, 10, 20, 20};
      const std::string name = std::to_string(i) + ".png";
      truth["images"].push_back({{"id", i}, {"file_name", name}, {"width", 64}, {"height", 64}});
      truth["annotations"].push_back({{"id", i},
                                      {"image_id", i},
                                      {"category_id", 1},
                                      {"bbox", box},
                                      {"area", 400},
                                      {"iscrowd", 0}});
      results.push_back({{"image_id", i},
                         {"category_id", 1},
                         {"bbox", box},
                         {"score", static_cast<double>(i) / n}});
    }
    ground_truth = folder.write("truth.json", truth.dump());
    found = folder.write("found.json", results.dump());
  }

  ProgramResult eval(std::vector<std::string> more) const {
    std::vector<std::string> words{"eval", "--truth", ground_truth, "--detections", found};
    words.insert(words.end(), more.begin(), more.end());
    return trainer(words);
  }
};

/// How many detections predict counts with the kept promise, or with a confidence in `more`.
int detections_of(const TrainerBench& bench, std::vector<std::string> words,
                  const std::vector<std::string>& more) {
  words.insert(words.end(),
               {"--checkpoint", bench.path("run"), "--device", "cpu", "--no-draw", "--json"});
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = predict(words);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.err,
                 "detections count from confidence 0.0015 on, which promises to find 98 % of the "
                 "objects; --conf sets another") == more.empty());
  return nlohmann::json::parse(result.last_line()).at("detections").get<int>();
}

}  // namespace

TEST_CASE("a promise is given with its confidence, what it misses here and what it costs") {
  const ProgramResult result = OneObjectEach(400).eval({"--promise", "recall=95%", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  // 10 of 400 objects may be missed: promise_test.cpp
  CHECK_MESSAGE(
      contains(result.out,
               "promise: at least 95 % of the objects are found in 95 % of samples like this one, "
               "with confidence 0.0275\n  here it misses 10 of 400 objects, up to 10 may be; 0.000 "
               "false detections per picture, 0.000 to 0.010 over many\n"),
      result.out);
  const auto promise = nlohmann::json::parse(result.last_line()).at("promise");
  CHECK(promise.at("confidence") == 11 / 400.0);
  CHECK(promise.at("recall") == 0.95);
  CHECK(promise.at("missed") == 10);
}

TEST_CASE("what cannot be promised is said, with what it takes or what can") {
  const ProgramResult few = OneObjectEach(50).eval({"--promise", "recall=0.98"});
  CHECK(few.exit_code == 65);
  CHECK_MESSAGE(contains(few.err,
                         "--promise recall=98 %: cannot be kept with 50 objects in 50 pictures, it "
                         "takes 200 objects, about 200 pictures like these, and more where some "
                         "are missed; measure on a larger split"),
                few.err);
  CHECK(contains(few.out, "AP .50:.95"));  // what was measured is told all the same
  const ProgramResult json = OneObjectEach(50).eval({"--promise", "recall=0.98", "--json"});
  CHECK(nlohmann::json::parse(json.last_line()).at("map50") == 1);
  const OneObjectEach many(50);
  for (const std::string wrong : {"recall", "recall=0", "recall=1", "precision=0.9", "recall=x"}) {
    CAPTURE(wrong);
    const ProgramResult refused = many.eval({"--promise", wrong});
    CHECK(refused.exit_code == 64);
    CHECK_MESSAGE(contains(refused.err, "--promise is '"), refused.err);
  }
  const ProgramResult certain =
      many.eval({"--promise", "recall=0.5", "--promise-probability", "1"});
  CHECK(certain.exit_code == 64);
  CHECK(contains(certain.err, "--promise-probability is 1, must be 0.5 to 0.999"));
}

TEST_CASE("a kept promise decides what predict counts, and stands in the exported model") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  const std::string best = bench.path("run/best.safetensors");
  const Checkpoint before = read_checkpoint(best);
  keep_in(best, before.info, {.recall = 0.98, .probability = 0.95}, {.confidence = 0.0015F});
  const Checkpoint after = read_checkpoint(best);
  CheckpointInfo older = before.info;
  --older.step;
  CHECK_THROWS_WITH_AS(keep_in(best, older, {.recall = 0.98}, {}),
                       (best + ": was written anew while it was measured, the promise is not kept "
                               "in it; measure it again when its training has ended")
                           .c_str(),
                       Error);
  REQUIRE(after.tensors.size() == before.tensors.size());
  for (const auto& [name, tensor] : before.tensors) {
    CAPTURE(name);
    CHECK(tensor.equal(after.tensors.at(name)));
  }
  CHECK(after.info.metrics.at("map50") == before.info.metrics.at("map50"));
  // What has exactly this score counts; the network's test is "over".
  CHECK(static_cast<float>(after.info.metrics.at("promise_confidence")) ==
        std::nextafter(0.0015F, 0.0F));

  const std::string picture = bench.folder.write("a.png", drawn_png(64, 64));
  const auto found = [&](const std::string& out, const std::vector<std::string>& more) {
    return detections_of(bench, {"--input", picture, "--out", bench.path(out)}, more);
  };
  for (const char* flag : {"--iou", "--conf"}) {
    const ProgramResult other =
        trainer({"eval", "--store", bench.path("store"), "--checkpoint", bench.path("run"),
                 "--promise", "recall=0.9", flag, "0.5"});
    CHECK(other.exit_code == 64);
    CHECK_MESSAGE(contains(other.err, std::string(flag) + " conflicts with --promise"), other.err);
    CHECK_FALSE(contains(other.err, "is used"));
  }
  CHECK(found("promised", {}) == found("same", {"--conf", "0.0015"}));
  CHECK(found("promised2", {}) >= found("default", {"--conf", "0.25"}));
  const ProgramResult broken =
      predict({"--checkpoint", bench.path("run"), "--input", picture, "--out", bench.path("broken"),
               "--device", "cpu", "--no-draw", "--nms", "agnostic"});
  CHECK_MESSAGE(contains(broken.err, " of the objects, but not with --nms agnostic; --conf sets"),
                broken.err);

  std::filesystem::remove(best);
  const ProgramResult last =
      trainer({"eval", "--store", bench.path("store"), "--checkpoint", bench.path("run")});
  CHECK(contains(last.err, bench.path("run") +
                               " holds no best.safetensors yet, its last.safetensors is used\n"));
  write_checkpoint(best, after);

  REQUIRE(trainer({"export", "--checkpoint", bench.path("run"), "--to", "onnx", "--out",
                   bench.path("model.onnx")})
              .exit_code == 0);
  const std::string exported = read_file(bench.path("model.onnx"));
  CHECK(contains(exported, R"("probability":0.95,"recall":0.98})"));
  const double confidence = std::nextafter(0.0015F, 0.0F);
  CHECK(contains(exported,
                 R"({"in_file":false,"confidence":)" + nlohmann::json(confidence).dump() + ","));
}

TEST_CASE("a promise on the pictures that the model was trained on is warned of") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  DrawnStore{.train = 9, .val = 3}.publish(bench.folder / "other");
  std::filesystem::rename(bench.folder / "store", bench.folder / "moved");
  for (const auto& [store, split, learnt] :
       {std::tuple{"moved", "train", true}, {"moved", "val", false}, {"other", "train", false}}) {
    CAPTURE(store);
    const ProgramResult measured =
        trainer({"eval", "--store", bench.path(store), "--checkpoint", bench.path("run"), "--split",
                 split, "--promise", "recall=0.999"});
    CHECK(contains(measured.err, "which the model was trained on: ") == learnt);
  }
}

TEST_CASE("a checkpoint that cannot keep a promise is refused before it is measured") {
  const TempDir dir;
  check_can_keep(dir / "best.safetensors");
  CHECK_THROWS_WITH_AS(check_can_keep(dir / "gone/best.safetensors"),
                       ((dir / "gone").string() +
                        ": cannot be written (No such file or directory), so that the checkpoint "
                        "cannot keep the promise; copy the checkpoint to a folder of your own and "
                        "measure it there")
                           .c_str(),
                       Error);
}
