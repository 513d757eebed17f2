#include "preprocess/plan/class_lists.h"

#include <algorithm>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using Names = std::vector<std::string>;

std::string quoted(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

bool has_any(const std::map<std::string, std::int64_t>& counts, const std::string& name) {
  const auto count = counts.find(name);
  return count != counts.end() && count->second > 0;
}

// By place in inputs.classes: whether a stored picture has the class.
std::vector<bool> used_classes(const Inputs& inputs) {
  std::vector<bool> used(inputs.classes.size());
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    for (const LabelBox& box : candidate.boxes) used[static_cast<std::size_t>(box.class_id)] = true;
    if (candidate.item.label >= 0) used[static_cast<std::size_t>(candidate.item.label)] = true;
  }
  return used;
}

}  // namespace

void check_class_order(const Inputs& inputs, const Previous& previous,
                       const BuildOptions& options) {
  if (options.new_class_order) return;
  for (const auto& [labels, now] : inputs.class_lists) {
    const auto before = previous.snapshot.class_lists.find(labels);
    if (before == previous.snapshot.class_lists.end()) continue;
    for (std::size_t i = 0; i < before->second.size(); ++i) {
      const std::string& name = renamed(before->second[i], options.renames);
      const auto place = std::ranges::find(now, name);
      if (place == now.end() || place - now.begin() == static_cast<std::ptrdiff_t>(i)) continue;
      throw Error({.where = labels,
                   .what = "class '" + name + "' was number " + std::to_string(i) +
                           " of its class list in the last build and is number " +
                           std::to_string(place - now.begin()) +
                           " now, so boxes would change their class; nothing was published",
                   .fix = "restore the order and add new names at the end, or pass "
                          "--new-class-order if the labels were written again by the new list"},
                  Exit::data);
    }
  }
}

void note_replaced_classes(const Inputs& inputs, const Previous& previous,
                           BuildListener& listener) {
  const Snapshot& then = previous.snapshot;
  const std::vector<bool> used = used_classes(inputs);
  Names gone, come;
  for (std::size_t i = 0; i < inputs.classes.size(); ++i) {
    const bool known = i < previous.old_classes.size();
    if (!known && used[i]) come.push_back(inputs.classes[i]);
    if (!known || used[i]) continue;
    const std::string& name = previous.old_classes[i];
    if (has_any(then.statistics.boxes_per_class, name) ||
        has_any(then.statistics.pictures_per_class, name))
      gone.push_back(inputs.classes[i]);
  }
  if (gone.empty() || come.empty()) return;
  listener.note("no label is of class " + quoted(gone) + " any more, and " + quoted(come) +
                (come.size() == 1 ? " is" : " are") +
                " new: if that is only another name, pass --rename-class " + gone.front() + "=" +
                come.front());
}

}  // namespace letterpress
