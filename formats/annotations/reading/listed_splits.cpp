#include "listed_splits.h"

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {
namespace fs = std::filesystem;

class Lists {
 public:
  Lists(const Input& folder, const AnnotationFormat& voc, const AnnotationOptions& options)
      : files_(folder.files),
        folder_(folder.path / "ImageSets" / "Main"),
        voc_(voc),
        options_(options) {}

  fs::path path(const std::string& name) const { return folder_ / (name + ".txt"); }

  bool is_there(const std::string& name) const {
    return files_.file_fault(path(name).string()).empty();
  }
  // Whether it is there and names pictures that have labels.
  bool is_of_use(const std::string& name) const {
    return is_there(name) && voc_.recognise(look_at(files_, path(name)), options_).fits;
  }

 private:
  const FileTree& files_;
  fs::path folder_;
  const AnnotationFormat& voc_;
  const AnnotationOptions& options_;
};

}  // namespace

std::vector<LabelPart> listed_splits(const Input& folder, const AnnotationFormat& voc,
                                     const AnnotationOptions& options,
                                     std::vector<std::string>& remarks) {
  const Lists lists(folder, voc, options);
  const bool has_val = lists.is_of_use("val");
  const bool own_train = lists.is_of_use("train") && (has_val || !lists.is_of_use("trainval"));
  const std::string train = own_train ? "train" : "trainval";
  std::vector<LabelPart> splits;
  if (lists.is_of_use(train)) splits.push_back({lists.path(train), "train"});
  for (const std::string name : {"val", "test"}) {
    if (lists.is_of_use(name)) {
      splits.push_back({lists.path(name), name});
    } else if (lists.is_there(name)) {
      remarks.push_back(printable(lists.path(name).string(), 1000) +
                        " lists no picture that has labels here, and is not taken for a split");
    }
  }
  if (splits.empty() || splits.front().split == "train") return splits;
  remarks.push_back(printable(splits.front().labels.string(), 1000) +
                    " is not taken for a split: there is no list of train beside it");
  return {};
}

}  // namespace letterpress::annotations
