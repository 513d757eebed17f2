#include "preprocess/plan/replaced_classes.h"

#include "letterpress/base/shell_word.h"
#include "letterpress/base/suggest.h"

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

// The one name that is near; nothing where there are several or none.
const std::string* only_near(const std::string& name, const Names& others) {
  const std::string* found = nullptr;
  for (const std::string& other : others) {
    if (!is_near(name, other)) continue;
    if (found) return nullptr;
    found = &other;
  }
  return found;
}

// What to pass when some of the classes that came are those that have gone. Only pairs that leave
// no choice are named.
std::string rename_flags(const Names& gone, const Names& come) {
  if (gone.size() == 1 && come.size() == 1)
    return "that is only another name, pass --rename-class " +
           shell_word(gone.front() + "=" + come.front());
  std::string pairs;
  for (const std::string& old : gone) {
    const std::string* const now = only_near(old, come);
    if (now && only_near(*now, gone) == &old)
      pairs += " --rename-class " + shell_word(old + "=" + *now);
  }
  return "some are only other names, pass --rename-class OLD=NEW for each" +
         (pairs.empty() ? "" : "; those that look alike:" + pairs);
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
                (come.size() == 1 ? " is" : " are") + " new: if " + rename_flags(gone, come));
}

}  // namespace letterpress
