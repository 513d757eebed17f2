#include "trainer/commands/eval/eval_metrics.h"

#include <utility>

#include "letterpress/base/clock.h"
#include "letterpress/base/detection_defaults.h"

namespace letterpress {
namespace {

EvalMetrics::Point point_at(const std::string& name, double confidence,
                            const std::vector<PictureResult>& pictures,
                            const std::vector<ClassVerdicts>& judged) {
  EvalMetrics::Point point{name, at_confidence(judged, confidence),
                           picture_table(pictures, confidence)};
  std::int64_t wrong = 0;
  for (const Tally& tally : point.point.classes) wrong += tally.wrong;
  if (!pictures.empty())
    point.false_per_picture = static_cast<double>(wrong) / static_cast<double>(pictures.size());
  return point;
}

EvalMetrics::Recall recall_of(const std::vector<ClassVerdicts>& judged, double wanted) {
  EvalMetrics::Recall recall{.wanted = wanted};
  std::vector<const ClassVerdicts*> together;
  for (const ClassVerdicts& one : judged) {
    together.push_back(&one);
    recall.classes.push_back(recall_at_precision({&one}, wanted));
  }
  recall.all = recall_at_precision(together, wanted);
  return recall;
}

nlohmann::json json_of(const std::optional<RecallAtPrecision>& recall) {
  if (!recall) return nullptr;
  return {{"recall", recall->recall},
          {"precision", recall->precision},
          {"confidence", recall->confidence}};
}

nlohmann::json json_of(const EvalMetrics::Point& point, const std::vector<std::string>& classes) {
  nlohmann::json per_class = nlohmann::json::object();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const Tally& tally = point.point.classes[c];
    const auto [precision, recall, f1] = tally.precision_recall_f1();
    per_class[classes[c]] = {
        {"truths", tally.ground_truths}, {"right", tally.right}, {"wrong", tally.wrong},
        {"precision", precision},        {"recall", recall},     {"f1", f1}};
  }
  const PictureTable& table = point.table;
  return {{"name", point.name},
          {"confidence", point.point.confidence},
          {"precision", point.point.precision},
          {"recall", point.point.recall},
          {"f1", point.point.f1},
          {"false_per_picture", point.false_per_picture},
          {"pictures",
           {{"found", table.found},
            {"missed", table.missed},
            {"falsely_flagged", table.falsely_flagged},
            {"clean", table.clean}}},
          {"classes", std::move(per_class)}};
}

nlohmann::json json_of(const CocoMetrics& coco) {
  return {{"AP", coco.ap},        {"AP50", coco.ap50},     {"AP75", coco.ap75},
          {"APs", coco.ap_small}, {"APm", coco.ap_medium}, {"APl", coco.ap_large},
          {"AR1", coco.ar1},      {"AR10", coco.ar10},     {"AR100", coco.ar100},
          {"ARs", coco.ar_small}, {"ARm", coco.ar_medium}, {"ARl", coco.ar_large}};
}

nlohmann::json per_class_json(const EvalMetrics& metrics) {
  nlohmann::json per_class = nlohmann::json::object();
  for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
    const CocoMetrics::PerClass& coco = metrics.coco.classes[c];
    const auto [precision, recall, f1] =
        metrics.points.front().point.classes[c].precision_recall_f1();
    per_class[metrics.classes[c]] = {{"truths", coco.ground_truths},
                                     {"precision", precision},
                                     {"recall", recall},
                                     {"f1", f1},
                                     {"map50", coco.ap50},
                                     {"map50_95", coco.ap},
                                     {"ar100", coco.ar100},
                                     {"voc_ap11", metrics.voc.classes[c].ap11},
                                     {"voc_ap", metrics.voc.classes[c].ap}};
  }
  return per_class;
}

nlohmann::json confusion_json(const EvalMetrics& metrics) {
  nlohmann::json rows = nlohmann::json::array();
  for (int ground_truth = 0; ground_truth <= metrics.confusion.classes; ++ground_truth) {
    nlohmann::json& row = rows.emplace_back(nlohmann::json::array());
    for (int found = 0; found <= metrics.confusion.classes; ++found)
      row.push_back(metrics.confusion.at(ground_truth, found));
  }
  std::vector<std::string> names = metrics.classes;
  names.emplace_back("background");
  return {{"confidence", metrics.confusion_confidence},
          {"classes", names},
          {"counts", std::move(rows)}};
}

}  // namespace

EvalMetrics eval_metrics(const std::vector<PictureResult>& pictures,
                         std::vector<std::string> classes, const EvalMetricsOptions& options) {
  const int n = static_cast<int>(classes.size());
  EvalMetrics metrics{.classes = std::move(classes),
                      .pictures = static_cast<std::int64_t>(pictures.size())};
  for (const PictureResult& picture : pictures)
    metrics.detections += static_cast<std::int64_t>(picture.found.size());
  const Clock::time_point begin = Clock::now();
  const std::vector<ClassVerdicts> judged = judge(pictures, n);
  metrics.coco = coco_metrics(judged);
  metrics.coco_s = seconds_since(begin);
  metrics.voc_iou = options.voc_iou;
  metrics.voc = voc_metrics(pictures, n, options.voc_iou);
  const std::optional<double> best = best_confidence(judged);
  metrics.has_best = best.has_value();
  metrics.points.push_back(point_at("best", best.value_or(kDefaultConfidence), pictures, judged));
  if (options.at) metrics.points.push_back(point_at("at", *options.at, pictures, judged));
  if (options.at_precision) {
    metrics.recall = recall_of(judged, *options.at_precision);
    if (metrics.recall->all)
      metrics.points.push_back(
          point_at("at_precision", metrics.recall->all->confidence, pictures, judged));
  }
  metrics.confusion_confidence = options.at.value_or(metrics.points.front().point.confidence);
  metrics.confusion = confusion_matrix(pictures, n, metrics.confusion_confidence);
  return metrics;
}

nlohmann::json json_of(const EvalMetrics& metrics) {
  const OperatingPoint& best = metrics.points.front().point;
  nlohmann::json json{
      {"pictures", metrics.pictures},
      {"detections", metrics.detections},
      {"map50", metrics.coco.ap50},
      {"map75", metrics.coco.ap75},
      {"map50_95", metrics.coco.ap},
      {"precision", best.precision},
      {"recall", best.recall},
      {"f1", best.f1},
      {"best_confidence", metrics.has_best ? nlohmann::json(best.confidence) : nlohmann::json()},
      {"coco", json_of(metrics.coco)},
      {"coco_seconds", metrics.coco_s},
      {"voc", {{"ap11", metrics.voc.ap11}, {"ap", metrics.voc.ap}, {"iou", metrics.voc_iou}}},
      {"classes", per_class_json(metrics)},
      {"confusion", confusion_json(metrics)}};
  for (const EvalMetrics::Point& point : metrics.points)
    json["points"].push_back(json_of(point, metrics.classes));
  if (metrics.recall) {
    nlohmann::json& recall = json["recall_at_precision"] = {{"wanted", metrics.recall->wanted},
                                                            {"all", json_of(metrics.recall->all)}};
    for (std::size_t c = 0; c < metrics.classes.size(); ++c)
      recall["classes"][metrics.classes[c]] = json_of(metrics.recall->classes[c]);
  }
  return json;
}

}  // namespace letterpress
