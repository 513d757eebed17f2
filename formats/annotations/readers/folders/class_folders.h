#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace letterpress::annotations {

/// A picture in class folders: "set/train/cat/a/1.jpg" -> split train, class cat.
struct Placed {
  std::string name, split;
  std::string class_name;  ///< empty: it is in no class folder
  std::string folder;      ///< of the class: "set/train/cat"
};

/// Where pictures are, by their paths from the input. Folders around all of them say nothing. Below
/// these are class folders, or splits that hold class folders: all of them called train, val or
/// test; or all of them after several splits in another way (Training, test_set), with the same
/// class folders in each.
std::vector<Placed> placed_in_class_folders(const std::vector<std::string>& names);

/// The first name behind `start`: "train" of "set/train/cat/1.jpg" behind 4.
std::string_view top_of(std::string_view name, std::size_t start = 0);

}  // namespace letterpress::annotations
