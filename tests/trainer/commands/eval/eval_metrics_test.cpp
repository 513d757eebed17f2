#include "trainer/commands/eval/eval_metrics.h"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

namespace {

/// dent: right at .9, wrong at .6. scratch: taken for a dent at .7, right at .3. A clean picture,
/// falsely flagged at .4.
std::vector<PictureResult> pictures() {
  return {{{ground_truth_at(0, 0)}, {found_at(0, 0.9, 0), found_at(90, 0.6, 0)}},
          {{ground_truth_at(0, 1), ground_truth_at(50, 1)},
           {found_at(0, 0.7, 0), found_at(50, 0.3, 1)}},
          {{}, {found_at(0, 0.4, 1)}}};
}
EvalMetrics metrics_at(const EvalMetricsOptions& options) {
  return eval_metrics(pictures(), {"dent", "scratch"}, options);
}

}  // namespace

TEST_CASE(
    "every family is there, at the best confidence first, and the counts are those of the "
    "pictures") {
  const EvalMetrics metrics = metrics_at({});
  CHECK(metrics.pictures == 3);
  CHECK(metrics.detections == 5);
  REQUIRE(metrics.points.size() == 1);
  // mean F1: .9 1/2; .3 (2/4 + 2/4)/2; equal, so the higher stands
  CHECK(metrics.points[0].point.confidence == 0.9);
  CHECK(metrics.confusion_confidence == 0.9);
  CHECK(metrics.coco.ap50 == doctest::Approx((1 + 0.5 * 51 / 101) / 2));
  CHECK_FALSE(metrics.recall);
}

TEST_CASE(
    "--at adds its point and moves the confusion matrix; --at-precision adds the recall and its "
    "point") {
  const EvalMetrics metrics = metrics_at({.at = 0.35, .at_precision = 0.5});
  REQUIRE(metrics.points.size() == 3);
  const EvalMetrics::Point& at = metrics.points[1];
  CHECK(at.point.classes[0].wrong == 2);
  CHECK(at.false_per_picture == doctest::Approx(1));
  CHECK(at.table.found == 2);
  CHECK(at.table.falsely_flagged == 1);
  CHECK(metrics.confusion_confidence == 0.35);
  CHECK(metrics.confusion.at(1, 0) == 1);
  REQUIRE(metrics.recall->all);
  CHECK(metrics.recall->all->confidence == 0.9);
  CHECK(metrics.points[2].name == "at_precision");
  CHECK(metrics.recall->classes[1]->recall == doctest::Approx(0.5));
  CHECK(metrics_at({.at_precision = 0.99}).recall->classes[1] == std::nullopt);
}

TEST_CASE("the table names its metrics, in lines that can be read on their own") {
  std::ostringstream out;
  print(metrics_at({.at = 0.35, .at_precision = 0.99}), out);
  const std::string text = out.str();
  for (const char* part :
       {"3 pictures, 5 detections; -1: no such ground truth\n",
        "COCO             all    small   medium    large\nAP .50:.95 ",
        "\nVOC AP .50: 11 points 0.",
        "\nclass     labels  precision     recall         F1      mAP50   mAP50-95     VOC "
        "AP\ndent ",
        "at confidence 0.350 (--at): ", ", 1.000 false detections per picture\n",
        "  pictures with a defect: 2 found, 0 missed; without: 1 falsely flagged, 0 clean\n",
        "  dent     precision 0.3333, recall 1.0000, F1 0.5000: 1 right, 2 wrong, 0 missed\n",
        "recall at precision 0.990\n  dent     1.0000 (precision 1.0000, confidence 0.900)\n  "
        "scratch  no confidence reaches it\n",
        "confusion at confidence 0.350; a row per ground-truth class, a column per class found\n",
        "              dent  scratch  background\ndent             1        0           0\nscratch "
        "         1        0           1\n"
        "background       1        1           0\n"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part, "\nis not in\n", text);
}

TEST_CASE("where nothing is found rightly no confidence is called the best") {
  const EvalMetrics metrics =
      eval_metrics({{{ground_truth_at(0, 0)}, {found_at(90, 0.6, 0)}}}, {"dent", "scratch"}, {});
  CHECK(metrics.points[0].point.confidence == doctest::Approx(0.25));
  const nlohmann::json json = json_of(metrics);
  CHECK(json.at("best_confidence") == nullptr);
  CHECK(json.at("classes").at("dent").at("recall") == 0);
  for (const char* name : {"precision", "recall", "f1", "map50"})
    CHECK(json.at("classes").at("scratch").at(name) == -1);  // neither labelled nor found
  std::ostringstream out;
  print(metrics, out);
  CHECK(out.str().find("at confidence 0.250, as nothing is found rightly at any\n") !=
        std::string::npos);
  CHECK(out.str().find("at confidence 0.250 (none is best): ") != std::string::npos);
  CHECK(json_of(metrics_at({})).at("best_confidence") == 0.9);
}

TEST_CASE("more than 20 classes are too many for a matrix on a terminal, not for JSON") {
  const EvalMetrics metrics =
      eval_metrics({{{ground_truth_at(0, 20)}, {}}}, std::vector<std::string>(21, "x"), {});
  std::ostringstream out;
  print(metrics, out);
  CHECK(out.str().find("confusion: 21 classes are too many to print; --json has it\n") !=
        std::string::npos);
  CHECK(json_of(metrics).at("confusion").at("counts").at(20).at(21) == 1);
}

TEST_CASE(
    "the JSON has the twelve metrics by their usual names, and per class what the table has") {
  const nlohmann::json json = json_of(metrics_at({.at = 0.35, .at_precision = 0.99}));
  CHECK(json.at("coco").size() == 12);
  CHECK(json.at("coco").at("AP50") == json.at("map50"));
  CHECK(json.at("coco").at("APm") == -1);
  CHECK(json.at("classes").at("dent").at("truths") == 1);
  CHECK(json.at("points").at(1).at("name") == "at");
  CHECK(json.at("points").at(1).at("pictures").at("falsely_flagged") == 1);
  CHECK(json.at("points").at(1).at("classes").at("dent").at("wrong") == 2);
  CHECK(json.at("recall_at_precision").at("classes").at("scratch") == nullptr);
  CHECK(json.at("recall_at_precision").at("all").at("confidence") == 0.9);
  CHECK(json.at("confusion").at("classes") == nlohmann::json{"dent", "scratch", "background"});
  CHECK(json.at("confusion").at("counts").at(1).at(0) == 1);
}
