// Figures of pycocotools, and of a VOC reference in exact fractions, over drawn cases:
// tests/golden/metrics/make_cases.py.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/agreement.h"
#include "tests/locations.h"
#include "tests/skip.h"
#include "tests/temp_dir.h"
#include "trainer/metrics/coco.h"
#include "trainer/metrics/confusion.h"
#include "trainer/metrics/operating_point.h"
#include "trainer/metrics/voc.h"

using namespace letterpress;

namespace {

const std::string kGolden = LETTERPRESS_SOURCE_DIR "/tests/golden/metrics";

/// Our metrics in the order of make_cases.py's line.
std::vector<double> metrics_of(const std::vector<PictureResult>& pictures, int classes) {
  const auto judged = judge(pictures, classes);
  const CocoMetrics coco = coco_metrics(judged);
  const OperatingPoint best = at_confidence(judged, best_confidence(judged).value_or(0));
  const VocMetrics voc = voc_metrics(pictures, classes);
  std::vector<double> values{
      coco.ap,        coco.ap50,   coco.ap75,  coco.ap_small,   coco.ap_medium, coco.ap_large,
      coco.ar1,       coco.ar10,   coco.ar100, coco.ar_small,   coco.ar_medium, coco.ar_large,
      best.precision, best.recall, best.f1,    best.confidence, voc.ap11,       voc.ap};
  for (std::size_t c = 0; c < judged.size(); ++c) {
    const Tally& tally = best.classes[c];
    values.insert(values.end(), {static_cast<double>(coco.classes[c].ground_truths),
                                 coco.classes[c].ap, coco.classes[c].ap50, tally.precision(),
                                 tally.recall(), static_cast<double>(voc.classes[c].ground_truths),
                                 voc.classes[c].ap11, voc.classes[c].ap});
  }
  return values;
}

/// Which program a metric of that line is from.
enum Source { kCocoMeans, kCocoClasses, kBestPoint, kVoc, kSources };
Source source_of(std::size_t field) {
  if (field < 18) return field < 12 ? kCocoMeans : field < 16 ? kBestPoint : kVoc;
  const std::size_t of_class = (field - 18) % 8;
  return of_class < 3 ? kCocoClasses : of_class < 5 ? kBestPoint : kVoc;
}

/// What the cases hold, so that none of their promises is empty.
struct Seen {
  int cases = 0, crowds = 0, difficult = 0, empty = 0, over_100 = 0, equal_scores = 0,
      without_ground_truth = 0, stated_areas = 0;
  std::array<double, kSources> furthest{};  ///< from the other programs' metrics

  void look(const PictureResult& picture, int classes) {
    empty += picture.ground_truths.empty() || picture.found.empty();
    std::vector<double> scores;
    for (const Found& one : picture.found) scores.push_back(one.score);
    std::sort(scores.begin(), scores.end());
    equal_scores += std::adjacent_find(scores.begin(), scores.end()) != scores.end();
    for (const GroundTruth& ground_truth : picture.ground_truths) {
      crowds += ground_truth.crowd;
      difficult += ground_truth.difficult;
      stated_areas += ground_truth.area != ground_truth.box.width * ground_truth.box.height;
    }
    for (int c = 0; c < classes; ++c)
      over_100 += std::count_if(picture.found.begin(), picture.found.end(),
                                [&](const Found& one) { return one.class_id == c; }) > 100;
  }
};

/// The diagonal, rows and columns of the confusion matrix are the tallies of the operating point,
/// at any confidence.
void check_confusion(const std::vector<PictureResult>& pictures, int classes, double confidence) {
  const OperatingPoint point = at_confidence(judge(pictures, classes), confidence);
  const ConfusionMatrix matrix = confusion_matrix(pictures, classes, confidence);
  CHECK(matrix.at(classes, classes) == 0);
  for (int c = 0; c < classes; ++c) {
    const Tally& tally = point.classes[static_cast<std::size_t>(c)];
    std::int64_t row = 0, column = 0;
    for (int other = 0; other <= classes; ++other)
      row += matrix.at(c, other), column += matrix.at(other, c);
    CHECK(matrix.at(c, c) == tally.right);
    CHECK(row == tally.ground_truths);
    CHECK(column == tally.right + tally.wrong);
  }
}

Seen check_cases(const std::filesystem::path& folder) {
  Seen seen;
  std::ifstream lines(folder / "figures.csv");
  for (std::string line; std::getline(lines, line); ++seen.cases) {
    CAPTURE(seen.cases);
    const std::string name = (seen.cases < 10    ? "00"
                              : seen.cases < 100 ? "0"
                                                 : "") +
                             std::to_string(seen.cases);
    const CocoGroundTruth ground_truth = read_coco_ground_truth(folder / (name + ".truth.json"));
    const int classes = static_cast<int>(ground_truth.categories.size());
    const auto pictures =
        picture_results(ground_truth, read_coco_results(folder / (name + ".found.json")));
    const std::vector<double> got = metrics_of(pictures, classes);
    std::istringstream fields(line);
    std::size_t field = 0;
    for (std::string text; std::getline(fields, text, ','); ++field) {
      CAPTURE(field);
      REQUIRE(field < got.size());
      const double difference = std::abs(got[field] - std::stod(text));
      CHECK(difference < 1e-9);
      double& furthest = seen.furthest[source_of(field)];
      furthest = std::max(furthest, difference);
    }
    CHECK(field == got.size());
    for (const double confidence : {0.0, 0.25, 0.7}) check_confusion(pictures, classes, confidence);
    for (const PictureResult& picture : pictures) seen.look(picture, classes);
    for (const auto& one : judge(pictures, classes))
      seen.without_ground_truth += one.ground_truths[kAllAreas] == 0;
  }
  return seen;
}

}  // namespace

TEST_CASE(
    "the twelve COCO metrics, the best point and VOC's are those that the other programs wrote") {
  CHECK(check_cases(kGolden + "/cases").cases == 8);
}

TEST_CASE(
    "... and as they compute them now over 208 cases: crowds, ties, empty pictures, over 100 "
    "detections, classes without ground truth" *
    doctest::test_suite("needs pycocotools")) {
  const TempDir folder;
  const std::string command = LETTERPRESS_TEST_PYTHON " '" + kGolden + "/make_cases.py' '" +
                              folder.path().string() + "' 208";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
    return skip("no python3 with numpy and pycocotools; scripts/setup.sh --tests");
  REQUIRE(WEXITSTATUS(status) == 0);
  const Seen seen = check_cases(folder.path());
  CHECK(seen.cases == 208);
  CHECK(seen.crowds > 200);
  CHECK(seen.difficult > 200);
  CHECK(seen.empty > 40);
  CHECK(seen.over_100 > 40);
  CHECK(seen.equal_scores > 100);
  CHECK(seen.without_ground_truth > 40);
  CHECK(seen.stated_areas > 500);
  check_agreement("pycocotools", "the twelve metrics, 208 drawn cases", seen.furthest[kCocoMeans],
                  1e-6);
  check_agreement("pycocotools", "AP, AP50 and labels of each class, 208 drawn cases",
                  seen.furthest[kCocoClasses], 1e-6);
  check_agreement("pycocotools' matches",
                  "best confidence, its precision, recall and F1, 208 drawn cases",
                  seen.furthest[kBestPoint], 1e-6);
  check_agreement("VOC reference in fractions", "AP at 11 points and at all, 208 drawn cases",
                  seen.furthest[kVoc], 1e-6);
}
