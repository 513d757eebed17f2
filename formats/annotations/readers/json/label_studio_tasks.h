#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/stated_pictures.h"

namespace letterpress::annotations {

/// Which picture the results of a Label Studio task are of. A result names the tag of the labelling
/// configuration that shows its picture (to_name), and that is not in the export: so of a task with
/// several pictures only a tag that all results of the file name, and that is called as one of the
/// task's keys, settles it.
class LabelStudioTasks {
 public:
  explicit LabelStudioTasks(const std::vector<json::element>& tasks);

  /// The picture with its names; with a fault when the task has none, or does not say which.
  /// fields: the task's data; of JSON-MIN the task itself.
  StatedPicture picture_of(json::element fields) const;
  /// Of JSON-MIN: what stands in place of a list of regions; empty: none does.
  std::optional<Message> fault_of_lists(json::element task) const;

 private:
  using Links = std::vector<std::pair<std::string, std::string>>;  ///< by their keys
  static Links links_in(json::element fields);
  /// nullptr: nobody knows.
  const std::string* link_of_results(const Links& links) const;
  void note_tags(json::element task);
  void note_region_keys(json::element task);

  std::set<std::string> tags_;
  std::set<std::string, std::less<>> region_keys_;  ///< of JSON-MIN: with a list of regions
  /// A picture's name before its upload -> the first link to it, then whether there are others.
  std::map<std::string, std::pair<std::string, bool>> uploads_;
};

}  // namespace letterpress::annotations
