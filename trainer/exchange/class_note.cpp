#include "trainer/exchange/class_note.h"

#include <algorithm>

namespace letterpress {
namespace {

constexpr std::size_t kNamed = 8;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (text.empty() ? "" : ", ") + names[i];
  return names.size() > kNamed ? text + " and " + std::to_string(names.size() - kNamed) + " more"
                               : text;
}

/// Names of `of` that are, or are not, among `others`; in their order.
std::vector<std::string> among(const std::vector<std::string>& of,
                               const std::vector<std::string>& others, bool wanted) {
  std::vector<std::string> names;
  std::copy_if(of.begin(), of.end(), std::back_inserter(names), [&](const std::string& name) {
    return (std::find(others.begin(), others.end(), name) != others.end()) == wanted;
  });
  return names;
}

// Whether some layer that ends in class rows has none of the file's.
bool lost_rows(const Graph& graph, const std::vector<WeightRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const WeightRow& row) {
    const std::string layer = row.target.substr(0, row.target.find('.'));
    return class_rows(graph).contains(layer) && !is_loaded(row);
  });
}

}  // namespace

std::string class_note(const StartWeights& start, const Graph& graph,
                       const std::vector<std::string>& classes,
                       const std::vector<WeightRow>& rows) {
  if (start.classes.empty() || start.classes == classes) return "";
  const std::vector<std::string> kept = among(classes, start.classes, true),
                                 fresh = among(classes, start.classes, false),
                                 left = among(start.classes, classes, false);
  if (fresh.empty() && left.empty()) {
    return "the same classes in another order: the head's rows were put from " +
           listed(start.classes) + " into " + listed(classes);
  }
  const std::string counts = std::to_string(start.classes.size()) + " classes became " +
                             std::to_string(classes.size()) + ": ";
  if (lost_rows(graph, rows)) {
    return counts +
           "the branches of the classes have other shapes, so they have a random start; "
           "backbone, neck and boxes are kept";
  }
  std::string text = counts + "the head's rows of " +
                     (kept.empty() ? "none of them are" : listed(kept) + " are") + " kept";
  if (!fresh.empty()) text += "; random start: " + listed(fresh);
  if (!left.empty()) text += "; left out: " + listed(left);
  return text;
}

}  // namespace letterpress
