#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "trainer/commands/eval/eval_metrics.h"

namespace letterpress {
namespace {

constexpr std::size_t kMostConfused = 20;  ///< classes; a larger matrix fits no terminal

/// printf to a string.
template <class... Values>
std::string text(const char* format, Values... values) {
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

std::string padded(std::string_view name, std::size_t width) {
  return std::string(name) + std::string(width - std::min(width, name.size()), ' ');
}

std::size_t name_width(const EvalMetrics& metrics, std::size_t least) {
  for (const std::string& name : metrics.classes) least = std::max(least, name.size());
  return least;
}

void print_means(const EvalMetrics& metrics, std::ostream& out) {
  const CocoMetrics& coco = metrics.coco;
  out << text("%lld pictures, %lld detections; -1: no such ground truth\n",
              static_cast<long long>(metrics.pictures), static_cast<long long>(metrics.detections));
  out << "COCO             all    small   medium    large\n";
  out << text("AP .50:.95  %8.4f %8.4f %8.4f %8.4f\n", coco.ap, coco.ap_small, coco.ap_medium,
              coco.ap_large);
  out << text("AR .50:.95  %8.4f %8.4f %8.4f %8.4f\n", coco.ar100, coco.ar_small, coco.ar_medium,
              coco.ar_large);
  out << text("AP .50 %.4f   AP .75 %.4f   AR with 1 detection per picture %.4f, with 10 %.4f\n",
              coco.ap50, coco.ap75, coco.ar1, coco.ar10);
  // ".50" as above; another --iou-at with its own digits
  out << "VOC AP " << text("%.2f", metrics.voc_iou).substr(1)
      << text(": 11 points %.4f, all points %.4f\n\n", metrics.voc.ap11, metrics.voc.ap);
}

void print_classes(const EvalMetrics& metrics, std::ostream& out) {
  const std::size_t width = name_width(metrics, 5);
  const OperatingPoint& best = metrics.points.front().point;
  const auto line = [&](const std::string& name, std::int64_t ground_truths,
                        const std::array<double, 6>& values) {
    out << padded(name, width) << text(" %8lld", static_cast<long long>(ground_truths));
    for (const double value : values) out << text(" %10.4f", value);
    out << "\n";
  };
  out << padded("class", width)
      << "   labels  precision     recall         F1      mAP50   mAP50-95     VOC AP\n";
  std::int64_t ground_truths = 0;
  for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
    const CocoMetrics::PerClass& coco = metrics.coco.classes[c];
    const auto [precision, recall, f1] = best.classes[c].precision_recall_f1();
    ground_truths += coco.ground_truths;
    line(metrics.classes[c], coco.ground_truths,
         {precision, recall, f1, coco.ap50, coco.ap, metrics.voc.classes[c].ap});
  }
  line("all", ground_truths,
       {best.precision, best.recall, best.f1, metrics.coco.ap50, metrics.coco.ap, metrics.voc.ap});
  out << text(
      "precision, recall and F1 at confidence %.3f, %s\n", best.confidence,
      metrics.has_best ? "the one with the best mean F1" : "as nothing is found rightly at any");
}

void print_point(const EvalMetrics::Point& point, bool has_best, std::ostream& out) {
  const char* which = point.name == "best" ? (has_best ? "the best mean F1" : "none is best")
                      : point.name == "at" ? "--at"
                                           : "--at-precision";
  const PictureTable& table = point.table;
  out << text(
      "\nat confidence %.3f (%s): precision %.4f, recall %.4f, F1 %.4f, %.3f false detections per "
      "picture\n",
      point.point.confidence, which, point.point.precision, point.point.recall, point.point.f1,
      point.false_per_picture);
  out << text(
      "  pictures with a defect: %lld found, %lld missed; without: %lld falsely flagged, %lld "
      "clean\n",
      static_cast<long long>(table.found), static_cast<long long>(table.missed),
      static_cast<long long>(table.falsely_flagged), static_cast<long long>(table.clean));
}

void print_tallies(const EvalMetrics::Point& point, const EvalMetrics& metrics, std::ostream& out) {
  const std::size_t width = name_width(metrics, 5);
  for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
    const Tally& tally = point.point.classes[c];
    out << "  " << padded(metrics.classes[c], width)
        << text("  precision %.4f, recall %.4f, F1 %.4f: %lld right, %lld wrong, %lld missed\n",
                tally.precision(), tally.recall(), tally.f1(), static_cast<long long>(tally.right),
                static_cast<long long>(tally.wrong),
                static_cast<long long>(tally.ground_truths - tally.right));
  }
}

void print_recall(const EvalMetrics& metrics, std::ostream& out) {
  const std::size_t width = name_width(metrics, 5);
  const auto line = [&](const std::string& name, const std::optional<RecallAtPrecision>& recall) {
    out << "  " << padded(name, width);
    out << (recall ? text("  %.4f (precision %.4f, confidence %.3f)\n", recall->recall,
                          recall->precision, recall->confidence)
                   : std::string("  no confidence reaches it\n"));
  };
  out << text("\nrecall at precision %.3f\n", metrics.recall->wanted);
  for (std::size_t c = 0; c < metrics.classes.size(); ++c)
    line(metrics.classes[c], metrics.recall->classes[c]);
  line("all", metrics.recall->all);
}

void print_confusion(const EvalMetrics& metrics, std::ostream& out) {
  if (metrics.classes.size() > kMostConfused) {
    out << text("\nconfusion: %zu classes are too many to print; --json has it\n",
                metrics.classes.size());
    return;
  }
  std::vector<std::string> names = metrics.classes;
  names.emplace_back("background");
  const std::size_t width = name_width(metrics, 10);
  out << text(
      "\nconfusion at confidence %.3f; a row per ground-truth class, a column per class found\n",
      metrics.confusion_confidence);
  out << std::string(width, ' ');
  for (const std::string& name : names)
    out << "  " << std::string(std::max<std::size_t>(name.size(), 6) - name.size(), ' ') << name;
  out << "\n";
  for (int ground_truth = 0; ground_truth <= metrics.confusion.classes; ++ground_truth) {
    out << padded(names[static_cast<std::size_t>(ground_truth)], width);
    for (int found = 0; found <= metrics.confusion.classes; ++found)
      out << text(
          "  %*lld",
          static_cast<int>(std::max<std::size_t>(names[static_cast<std::size_t>(found)].size(), 6)),
          static_cast<long long>(metrics.confusion.at(ground_truth, found)));
    out << "\n";
  }
}

}  // namespace

void print(const EvalMetrics& metrics, std::ostream& out) {
  print_means(metrics, out);
  print_classes(metrics, out);
  for (const EvalMetrics::Point& point : metrics.points) {
    print_point(point, metrics.has_best, out);
    if (point.name != "best") print_tallies(point, metrics, out);
  }
  if (metrics.recall) print_recall(metrics, out);
  print_confusion(metrics, out);
}

}  // namespace letterpress
