// Class folders: SPLIT/CLASS/picture.
#include "letterpress/annotations/class_list.h"
#include "letterpress/annotations/passed_over.h"
#include "letterpress/base/error.h"
#include "preprocess/unpack/format.h"

namespace letterpress {
extern const UnpackFormat unpack_folder;
namespace {

std::string class_folder(const std::string& split, const UnpackedPicture& picture,
                         const Snapshot& snapshot) {
  const std::string& name = snapshot.classes.at(static_cast<std::size_t>(picture.label));
  if (!name.empty() && !name.starts_with('.') && name.find('/') == std::string::npos &&
      name.find('\0') == std::string::npos && !annotations::is_left_by_a_system(name + "/")) {
    return split + "/" + name;
  }
  throw Error({.where = "--to folder",
               .what = "class '" + name + "' cannot be the name of a folder",
               .fix = "rename it by build --rename-class"},
              Exit::configuration);
}

// Whether `build` reads the list as these names: not where it looks like another kind of list, as
// with names that all begin with a number.
bool reads_as(const std::filesystem::path& list, const std::vector<std::string>& names) {
  try {
    return annotations::read_class_list(list) == names;
  } catch (const Error&) {
    return false;
  }
}

// The list keeps the ids, and classes without a picture.
void write_classes(const UnpackedSet& set, const std::filesystem::path& folder,
                   const std::filesystem::path& out, UnpackReport& report) {
  constexpr const char* kClasses = "classes.txt";
  std::string names;
  for (const std::string& name : set.snapshot.classes) names += name + "\n";
  write_new_file(folder / kClasses, names);
  std::map<std::string, std::filesystem::path> folders;
  for (const auto& [split, pictures] : set.splits) folders[split] = out / split;
  report.build_flags = {"--format", "folder"};
  if (reads_as(folder / kClasses, set.snapshot.classes)) {
    report.build_flags.insert(report.build_flags.end(), {"--classes", (out / kClasses).string()});
  } else {
    report.losses.push_back("the order of " + std::to_string(set.snapshot.classes.size()) +
                            " classes, whose names are no list that build reads");
    std::filesystem::remove(folder / kClasses);
  }
  add_split_flags(folders, report);
}

}  // namespace

constinit const UnpackFormat unpack_folder{
    "folder",
    "class folders SPLIT/CLASS and classes.txt, for stores of labels of whole pictures",
    false,
    true,
    class_folder,
    write_classes};

}  // namespace letterpress
