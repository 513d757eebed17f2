#include "trainer/exchange/class_note.h"

#include <algorithm>
#include <iterator>

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

/// Of the layers that end in class rows.
std::vector<WeightRow> head_rows(const Graph& graph, const std::vector<WeightRow>& rows) {
  std::vector<WeightRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found), [&](const WeightRow& row) {
    return class_rows(graph).contains(row.target.substr(0, row.target.find('.')));
  });
  return found;
}

}  // namespace

std::string class_note(const StartWeights& start, const Graph& graph,
                       const std::vector<std::string>& classes,
                       const std::vector<WeightRow>& rows) {
  if (start.classes.empty() || start.classes == classes) return "";
  const std::vector<std::string> kept = among(classes, start.classes, true),
                                 fresh = among(classes, start.classes, false),
                                 left = among(start.classes, classes, false);
  const std::vector<WeightRow> head = head_rows(graph, rows);
  const bool is_lost = !std::all_of(head.begin(), head.end(), is_loaded);
  if (!is_lost &&
      std::all_of(head.begin(), head.end(), [](const WeightRow& row) { return row.note.empty(); }))
    return "the head's rows were taken as they lie in the file, whose classes have other names or "
           "another order; --match name goes by the names";
  if (fresh.empty() && left.empty()) {
    return "the same classes in another order: the head's rows were put from " +
           listed(start.classes) + " into " + listed(classes);
  }
  const std::string counts = std::to_string(start.classes.size()) + " classes became " +
                             std::to_string(classes.size()) + ": ";
  if (is_lost) {
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
