#include "trainer/commands/eval_figures.h"

#include <utility>

#include "letterpress/base/clock.h"

namespace letterpress {
namespace {

EvalFigures::Point point_at(const std::string& name, double confidence,
                            const std::vector<PictureResult>& pictures,
                            const std::vector<ClassVerdicts>& judged) {
  EvalFigures::Point point{name, at_confidence(judged, confidence),
                           picture_table(pictures, confidence)};
  std::int64_t wrong = 0;
  for (const Tally& tally : point.point.classes) wrong += tally.wrong;
  if (!pictures.empty())
    point.false_per_picture = static_cast<double>(wrong) / static_cast<double>(pictures.size());
  return point;
}

EvalFigures::Recall recall_of(const std::vector<ClassVerdicts>& judged, double wanted) {
  EvalFigures::Recall recall{.wanted = wanted};
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

nlohmann::json json_of(const EvalFigures::Point& point, const std::vector<std::string>& classes) {
  nlohmann::json per_class = nlohmann::json::object();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const Tally& tally = point.point.classes[c];
    per_class[classes[c]] = {{"truths", tally.truths},   {"right", tally.right},
                             {"wrong", tally.wrong},     {"precision", tally.precision()},
                             {"recall", tally.recall()}, {"f1", tally.f1()}};
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

nlohmann::json json_of(const CocoFigures& coco) {
  return {{"AP", coco.ap},        {"AP50", coco.ap50},     {"AP75", coco.ap75},
          {"APs", coco.ap_small}, {"APm", coco.ap_medium}, {"APl", coco.ap_large},
          {"AR1", coco.ar1},      {"AR10", coco.ar10},     {"AR100", coco.ar100},
          {"ARs", coco.ar_small}, {"ARm", coco.ar_medium}, {"ARl", coco.ar_large}};
}

nlohmann::json per_class_json(const EvalFigures& figures) {
  nlohmann::json per_class = nlohmann::json::object();
  for (std::size_t c = 0; c < figures.classes.size(); ++c) {
    const CocoFigures::PerClass& coco = figures.coco.classes[c];
    const Tally& tally = figures.points.front().point.classes[c];
    per_class[figures.classes[c]] = {{"truths", coco.truths},
                                     {"precision", tally.precision()},
                                     {"recall", tally.recall()},
                                     {"f1", tally.f1()},
                                     {"map50", coco.ap50},
                                     {"map50_95", coco.ap},
                                     {"ar100", coco.ar100},
                                     {"voc_ap11", figures.voc.classes[c].ap11},
                                     {"voc_ap", figures.voc.classes[c].ap}};
  }
  return per_class;
}

nlohmann::json confusion_json(const EvalFigures& figures) {
  nlohmann::json rows = nlohmann::json::array();
  for (int truth = 0; truth <= figures.confusion.classes; ++truth) {
    nlohmann::json& row = rows.emplace_back(nlohmann::json::array());
    for (int found = 0; found <= figures.confusion.classes; ++found)
      row.push_back(figures.confusion.at(truth, found));
  }
  std::vector<std::string> names = figures.classes;
  names.emplace_back("background");
  return {{"confidence", figures.confusion_confidence},
          {"classes", names},
          {"counts", std::move(rows)}};
}

}  // namespace

EvalFigures eval_figures(const std::vector<PictureResult>& pictures,
                         std::vector<std::string> classes, const EvalWishes& wishes) {
  const int n = static_cast<int>(classes.size());
  EvalFigures figures{.classes = std::move(classes),
                      .pictures = static_cast<std::int64_t>(pictures.size())};
  for (const PictureResult& picture : pictures)
    figures.detections += static_cast<std::int64_t>(picture.found.size());
  const Clock::time_point begin = Clock::now();
  const std::vector<ClassVerdicts> judged = judge(pictures, n);
  figures.coco = coco_figures(judged);
  figures.coco_s = seconds_since(begin);
  figures.voc = voc_figures(pictures, n);
  figures.points.push_back(point_at("best", best_confidence(judged).value_or(0), pictures, judged));
  if (wishes.at) figures.points.push_back(point_at("at", *wishes.at, pictures, judged));
  if (wishes.at_precision) {
    figures.recall = recall_of(judged, *wishes.at_precision);
    if (figures.recall->all)
      figures.points.push_back(
          point_at("at_precision", figures.recall->all->confidence, pictures, judged));
  }
  figures.confusion_confidence = wishes.at.value_or(figures.points.front().point.confidence);
  figures.confusion = confusion_matrix(pictures, n, figures.confusion_confidence);
  return figures;
}

nlohmann::json json_of(const EvalFigures& figures) {
  const OperatingPoint& best = figures.points.front().point;
  nlohmann::json json{{"pictures", figures.pictures},
                      {"detections", figures.detections},
                      {"map50", figures.coco.ap50},
                      {"map75", figures.coco.ap75},
                      {"map50_95", figures.coco.ap},
                      {"precision", best.precision},
                      {"recall", best.recall},
                      {"f1", best.f1},
                      {"best_confidence", best.confidence},
                      {"coco", json_of(figures.coco)},
                      {"coco_seconds", figures.coco_s},
                      {"voc", {{"ap11", figures.voc.ap11}, {"ap", figures.voc.ap}}},
                      {"classes", per_class_json(figures)},
                      {"confusion", confusion_json(figures)}};
  for (const EvalFigures::Point& point : figures.points)
    json["points"].push_back(json_of(point, figures.classes));
  if (figures.recall) {
    nlohmann::json& recall = json["recall_at_precision"] = {{"wanted", figures.recall->wanted},
                                                            {"all", json_of(figures.recall->all)}};
    for (std::size_t c = 0; c < figures.classes.size(); ++c)
      recall["classes"][figures.classes[c]] = json_of(figures.recall->classes[c]);
  }
  return json;
}

}  // namespace letterpress
