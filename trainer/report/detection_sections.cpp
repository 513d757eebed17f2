#include <algorithm>
#include <numeric>

#include "letterpress/page/html.h"
#include "letterpress/page/line_chart.h"
#include "letterpress/page/page.h"
#include "trainer/metrics/coco.h"
#include "trainer/metrics/confusion.h"
#include "trainer/report/sections.h"

namespace letterpress {
namespace {

constexpr std::size_t kMostCurves = 12;  // that a reader can tell apart

std::string number(const std::string& class_name, const std::string& what, double value) {
  const std::string text = value < 0 ? "–" : fixed(value, 4);
  return "<td class=\"n\"" + attribute("class", class_name) + attribute(what, fixed(value, 6)) +
         ">" + text + "</td>";
}

std::string row(const std::string& name, const CocoMetrics::PerClass& coco,
                const std::array<double, 3>& at_best) {
  const auto& [precision, recall, f1] = at_best;
  return "<tr><td>" + escaped(name) + "</td><td class=\"n\">" + grouped(coco.ground_truths) +
         "</td>" + number(name, "map50", coco.ap50) + number(name, "map", coco.ap) +
         number(name, "precision", precision) + number(name, "recall", recall) +
         number(name, "f1", f1) + "</tr>\n";
}

std::string metrics_table(const std::vector<std::string>& classes, const CocoMetrics& metrics,
                          const OperatingPoint& best, const std::string& why) {
  std::string html =
      "<table><tr><th>class</th><th class=\"n\">labelled</th><th class=\"n\">mAP50</th><th "
      "class=\"n\">mAP50-95</th><th "
      "class=\"n\">precision"
      "</th><th class=\"n\">recall</th><th class=\"n\">F1</th></tr>\n";
  CocoMetrics::PerClass all{.ap = metrics.ap, .ap50 = metrics.ap50};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    all.ground_truths += metrics.classes[c].ground_truths;
    html += row(classes[c], metrics.classes[c], best.classes[c].precision_recall_f1());
  }
  html += row("all", all, {best.precision, best.recall, best.f1}) +
          "</table>\n<p class=\"soft\">Precision, recall and F1 at confidence " +
          fixed(best.confidence, 3) + ", " + why + ".</p>\n";
  return html;
}

/// Classes with the most labels first, as many as a reader can tell apart.
std::vector<std::size_t> drawn_classes(const std::vector<ClassVerdicts>& judged) {
  std::vector<std::size_t> order(judged.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return judged[a].ground_truths[kAllAreas] > judged[b].ground_truths[kAllAreas];
  });
  std::erase_if(order, [&](std::size_t c) { return judged[c].ground_truths[kAllAreas] == 0; });
  if (order.size() > kMostCurves) order.resize(kMostCurves);
  return order;
}

std::string precision_recall_chart(const std::vector<std::string>& classes,
                                   const std::vector<ClassVerdicts>& judged) {
  LineChart chart{
      .title = "precision over recall, at IoU 0.5", .x_axis = "recall", .y_range = {{0, 1}}};
  for (const std::size_t c : drawn_classes(judged)) {
    ChartLine& line =
        chart.lines.emplace_back(ChartLine{.name = classes[c], .class_id = static_cast<int>(c)});
    const auto precisions = precision_at_recalls(judged[c], kAllAreas, 0);
    for (std::size_t i = 0; i < precisions.size(); ++i)
      line.points.push_back({static_cast<double>(i) / 100, precisions[i]});
  }
  if (chart.lines.empty()) return "<p>The pictures have no labels.</p>\n";
  return line_chart(chart);
}

}  // namespace

std::string detection_sections(const OpenedRun& run, const Validation& validation) {
  const std::vector<std::string>& classes = run.checkpoint.info.classes;
  const OperatingPoint best = at_confidence(validation.judged, validation.confidence);
  std::string html =
      section("Validation", metrics_table(classes, coco_metrics(validation.judged), best,
                                          best_confidence(validation.judged)
                                              ? "the one with the best mean F1"
                                              : "as nothing is found rightly at any") +
                                "<div class=\"charts\">" +
                                precision_recall_chart(classes, validation.judged) + "</div>\n");
  const ConfusionMatrix confusion =
      confusion_matrix(validation.results, static_cast<int>(classes.size()), validation.confidence);
  std::vector<std::string> names = classes;
  names.emplace_back("background");
  return html + section("Confusion", confusion_table(names, confusion.counts) +
                                         "<p class=\"soft\">At IoU 0.5 and confidence " +
                                         fixed(validation.confidence, 3) +
                                         ". Last column: labelled, but not found; last row: found, "
                                         "but not labelled.</p>\n");
}

}  // namespace letterpress
