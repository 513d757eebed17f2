#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/agreement.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

nlohmann::json read_json(const std::string& file) {
  return nlohmann::json::parse(std::ifstream(file));
}

/// A bench with a trained run, evaluated with both COCO files written.
struct Evaluated {
  TrainerBench bench;
  nlohmann::json metrics;
  Evaluated() {
    REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
    metrics = eval({"--store", bench.path("store"), "--checkpoint", bench.path("run"), "--device",
                    "cpu", "--coco-out", bench.path("found.json"), "--coco-truth-out",
                    bench.path("truth.json")});
  }
  /// The summary of eval --json, but how long it took.
  static nlohmann::json eval(std::vector<std::string> words) {
    words.insert(words.begin(), "eval");
    words.emplace_back("--json");
    const ProgramResult result = trainer(words);
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    const bool reads = std::find(words.begin(), words.end(), "--checkpoint") != words.end();
    CHECK((result.err.find("rows are read by ") != std::string::npos) == reads);
    nlohmann::json summary = nlohmann::json::parse(result.last_line());
    summary.erase("coco_seconds");
    return summary;
  }
};

void check_pycocotools(const Evaluated& evaluated) {
  const ProgramResult result =
      run({LETTERPRESS_TEST_PYTHON, LETTERPRESS_SOURCE_DIR "/tests/tools/trainer/coco_figures.py",
           evaluated.bench.path("truth.json"), evaluated.bench.path("found.json")});
  if (result.exit_code == 77 || result.exit_code == 127)
    return skip("no python3 with pycocotools; scripts/setup.sh --tests");
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const auto expected = nlohmann::json::parse(result.last_line());
  const char* const names[] = {"AP",  "AP50", "AP75",  "APs", "APm", "APl",
                               "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"};
  double furthest = 0;
  for (std::size_t i = 0; i < 12; ++i)
    furthest = std::max(furthest, std::abs(evaluated.metrics.at("coco").at(names[i]).get<double>() -
                                           expected.at(i).get<double>()));
  check_agreement("pycocotools", "the twelve metrics of a trained model", furthest, 1e-6);
}

}  // namespace

TEST_CASE(
    "eval's files are read by pycocotools, which finds the same twelve metrics, and by eval "
    "itself, with or without the store" *
    doctest::test_suite("needs pycocotools")) {
  const Evaluated evaluated;
  REQUIRE(evaluated.metrics.at("detections") > 10);
  CHECK(read_json(evaluated.bench.path("found.json")).size() == evaluated.metrics.at("detections"));
  check_pycocotools(evaluated);
  const std::string found = evaluated.bench.path("found.json");
  CHECK(Evaluated::eval({"--truth", evaluated.bench.path("truth.json"), "--detections", found}) ==
        evaluated.metrics);
  CHECK(Evaluated::eval({"--store", evaluated.bench.path("store"), "--detections", found}) ==
        evaluated.metrics);

  // The same by file name and class name, as a program without our ids writes it.
  auto named = read_json(found);
  for (const auto& image : read_json(evaluated.bench.path("truth.json")).at("images"))
    for (auto& one : named)
      if (one.at("image_id") == image.at("id")) one["image_id"] = image.at("file_name");
  for (auto& one : named)
    one["category_id"] = DrawnStore::classes().at(one.at("category_id").get<std::size_t>() - 1);
  std::ofstream(evaluated.bench.path("named.json")) << named;
  CHECK(Evaluated::eval({"--store", evaluated.bench.path("store"), "--detections",
                         evaluated.bench.path("named.json")}) == evaluated.metrics);

  const auto at = Evaluated::eval({"--store", evaluated.bench.path("store"), "--detections", found,
                                   "--at", "0.25", "--at-precision", "95%"});
  CHECK(at.at("points").at(1).at("confidence") == 0.25);
  CHECK(at.at("recall_at_precision").at("wanted") == 0.95);
}

TEST_CASE("--iou-at is the overlap from which VOC's AP takes a detection, .5 without it") {
  const TempDir dir;
  const std::string truth = dir.write("truth.json", R"({"images":
      [{"id": 1, "file_name": "a.png", "width": 100, "height": 100}],
      "categories": [{"id": 1, "name": "nut"}],
      "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 40, 10],
                       "area": 400, "iscrowd": 0}]})");
  // The left two fifths of it.
  const std::string found = dir.write("found.json", R"([{"image_id": 1, "category_id": 1,
      "bbox": [10, 10, 16, 10], "score": 0.9}])");
  const auto voc = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--truth", truth, "--detections", found});
    return Evaluated::eval(more).at("voc");
  };
  CHECK(voc({}) == nlohmann::json{{"ap11", 0}, {"ap", 0}, {"iou", 0.5}});
  CHECK(voc({"--iou-at", "0.3"}) == nlohmann::json{{"ap11", 1}, {"ap", 1}, {"iou", 0.3}});
  const ProgramResult refused =
      trainer({"eval", "--truth", truth, "--detections", found, "--iou-at", "1.5"});
  CHECK(refused.exit_code == 64);
  CHECK_CONTAINS(refused.err, "--iou-at");
}

TEST_CASE("what eval cannot do is said with its exit code before any work") {
  const TrainerBench bench;
  const std::string store = bench.path("store"),
                    ground_truth =
                        bench.folder.write("t.json",
                                           R"({"images": [{"id": 1, "file_name": "a.png"}],
    "categories": [{"id": 1, "name": "x"}], "annotations": []})");
  const std::string found = bench.folder.write("f.json", "[]");
  const auto check = [&](int code, std::vector<std::string> words, const std::string& text) {
    CAPTURE(text);
    words.insert(words.begin(), "eval");
    const ProgramResult result = trainer(words);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  };
  check(64, {"--store", store}, "must be given --checkpoint or --detections");
  check(64, {"--store", store, "--checkpoint", "a", "--detections", found},
        "got both --checkpoint and --detections; leave one out");
  check(64, {"--detections", found}, "must be given --store or --truth");
  check(64, {"--detections", found, "--truth", ground_truth, "--store", store},
        "got both --store and --truth; leave one out");
  check(64, {"--checkpoint", "a", "--truth", ground_truth},
        "--checkpoint needs a --store to take its pictures from, --truth has none");
  check(64, {"--detections", found, "--truth", ground_truth, "--at", "25"},
        "--at is 25, must be 0 to 1");
  check(64, {"--detections", found, "--truth", ground_truth, "--at-precision", "95"},
        "--at-precision is 95 (9500%), must be 0 to 1");
  for (const auto& [flag, value] :
       {std::pair{"--conf", "0.5"}, std::pair{"--iou", "0.5"}, std::pair{"--nms", "soft"}}) {
    check(64, {"--detections", found, "--truth", ground_truth, flag, value},
          std::string(flag) +
              " says how a checkpoint's boxes become detections; those of --detections are "
              "measured as they are, leave " +
              flag + " out");
  }
  check(64,
        {"--detections", found, "--truth", ground_truth, "--coco-out", bench.path("a.json"),
         "--coco-truth-out", bench.path("./a.json")},
        "--coco-out and --coco-truth-out are both " + bench.path("a.json") + "; name two files");
  check(64, {"--store", store, "--checkpoint", "a", "--nms", "clas"},
        "unknown suppression 'clas'; did you mean 'class'?");
  check(73, {"--detections", found, "--truth", ground_truth, "--coco-out", bench.path("no/f.json")},
        "--coco-out " + bench.path("no/f.json"));
  check(73, {"--detections", found, "--truth", ground_truth, "--coco-truth-out", store},
        "--coco-truth-out " + store + ": is a folder");
  check(66, {"--detections", bench.path("none.json"), "--truth", ground_truth}, "none.json");
  check(65, {"--detections", bench.folder.write("o.json", "{}"), "--truth", ground_truth},
        "o.json: holds no list 'images', must be a list of detections, or ");
  check(65, {"--detections", bench.folder.write("n.json", "7"), "--truth", ground_truth},
        "n.json: is not a whole JSON file with a list of detections");
  for (const char* flag : {"--promise", "--coco-out"})
    check(64, {"--store", store, "--checkpoint", "a", flag, ""},
          std::string(flag) + " is '', must be ");
  const std::string foreign = bench.folder.write(
      "g.json", R"([{"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1}])");
  check(65, {"--detections", foreign, "--truth", ground_truth},
        "g.json: detection 0: there is no picture with image_id 7");
}

TEST_CASE(
    "a file that cannot be written is named as it was wished for, with exit 74, and nothing is "
    "left of it") {
  const Evaluated evaluated;
  std::filesystem::create_directory(evaluated.bench.folder / "out");
  const std::string out = evaluated.bench.path("out/file.json");
  check_named_as_too_large(
      run_with_small_files(
          1, {program_path("letterpress-trainer"), "eval", "--store", evaluated.bench.path("store"),
              "--detections", evaluated.bench.path("found.json"), "--coco-out", out}),
      out);
  CHECK(std::filesystem::is_empty(evaluated.bench.folder / "out"));
}
