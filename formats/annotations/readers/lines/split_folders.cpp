#include "split_folders.h"

#include "formats/annotations/files/text.h"
#include "stated_paths.h"

namespace letterpress::annotations {

std::vector<SplitName> split_folders(const FileTree& files, const std::filesystem::path& above,
                                     std::vector<std::string>& remarks) {
  const std::vector<std::string> names = files.names_in(above);
  std::vector<SplitName> folders = called_after_splits(names);
  std::erase_if(folders,
                [&](const SplitName& folder) { return !files.is_folder(above / folder.name); });
  if (folders.empty()) return folders;
  for (const std::string& name : names) {
    if (doubtful_split_in(name).empty() || !split_in(name).empty()) continue;
    if (files.is_folder(above / name) && leads_to_pictures(files, above / name))
      remarks.push_back(printable((above / name).string(), 1000) +
                        " may be of a split and is not read; call it train, val or test");
  }
  return folders;
}

}  // namespace letterpress::annotations
