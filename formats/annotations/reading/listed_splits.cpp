#include "listed_splits.h"

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {

std::vector<LabelPart> listed_splits(const Input& folder) {
  const std::filesystem::path lists = folder.path / "ImageSets" / "Main";
  const auto has = [&](const char* list) {
    return folder.files.file_fault((lists / list).string()).empty() &&
           !trim(folder.files.read_head(lists / list, 1024)).empty();
  };
  std::vector<LabelPart> splits;
  if (has("train.txt")) {
    splits.push_back({lists / "train.txt", "train"});
  } else if (has("trainval.txt") && !has("val.txt")) {
    splits.push_back({lists / "trainval.txt", "train"});
  } else {
    return {};
  }
  if (has("val.txt")) splits.push_back({lists / "val.txt", "val"});
  if (has("test.txt")) splits.push_back({lists / "test.txt", "test"});
  return splits.size() > 1 ? splits : std::vector<LabelPart>();
}

}  // namespace letterpress::annotations
