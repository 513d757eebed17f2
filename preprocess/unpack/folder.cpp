// Class folders: SPLIT/CLASS/picture.
#include "letterpress/base/error.h"
#include "preprocess/unpack/format.h"

namespace letterpress {
extern const UnpackFormat unpack_folder;
namespace {

std::string class_folder(const std::string& split, const UnpackedPicture& picture,
                         const Snapshot& snapshot) {
  const std::string& name = snapshot.classes.at(static_cast<std::size_t>(picture.label));
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
      name.find('\0') == std::string::npos) {
    return split + "/" + name;
  }
  throw Error({.where = "--to folder",
               .what = "class '" + name + "' cannot be the name of a folder",
               .fix = "rename it by build --rename-class"},
              Exit::configuration);
}

void name_build_flags(const UnpackedSet& set, const std::filesystem::path&,
                      const std::filesystem::path& out, UnpackReport& report) {
  std::map<std::string, std::filesystem::path> folders;
  for (const auto& [split, pictures] : set.splits) folders[split] = out / split;
  report.build_flags = {"--format", "folder"};
  add_split_flags(folders, report);
}

}  // namespace

constinit const UnpackFormat unpack_folder{
    "folder",     "class folders SPLIT/CLASS, for stores of labels of whole pictures",
    false,        true,
    class_folder, name_build_flags};

}  // namespace letterpress
