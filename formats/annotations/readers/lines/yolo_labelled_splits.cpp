#include "yolo_labelled_splits.h"

#include <algorithm>

#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"
#include "yolo_label_paths.h"

namespace letterpress::annotations {

void YoloLabelledSplits::see(const std::string& split, const std::string& picture) {
  std::string& first = splits_[split].first;
  if (first.empty()) first = picture;
}

void YoloLabelledSplits::count(const std::string& split, bool has_label_file) {
  ++splits_[split].pictures;
  splits_[split].labelled += has_label_file;
}

void YoloLabelledSplits::check(YoloLabelFinder& finder, AnnotationSet& set) const {
  std::int64_t pictures = 0, labelled = 0;
  for (const auto& [name, split] : splits_) pictures += split.pictures, labelled += split.labelled;
  for (const auto& [name, split] : splits_) {
    if (split.labelled > 0 || split.pictures == 0) continue;
    const std::string there = finder.file_there(split.first);
    const std::string tried = "tried " + yolo_label_paths(split.first).front() +
                              (there.empty() ? "" : ", but there is " + printable(there, 1000));
    const std::string of = labelled == 0 || name.empty() ? "" : " of split '" + name + "'";
    if (labelled > 0 && name != "train" && !name.empty()) {
      set.remarks.push_back(
          (split.pictures == 1
               ? "the one picture" + of + " has no label file, it is taken as a background: "
               : "none of the " + std::to_string(split.pictures) + " pictures" + of +
                     " has a label file, they are taken as backgrounds: ") +
          tried);
      continue;
    }
    throw Error(
        {.where = split.first,
         .what = "neither this nor any other of " +
                 counted(labelled == 0 ? pictures : split.pictures, "picture", "pictures") + of +
                 " has a label file, " + tried,
         .fix = "put labels/ beside images/ (an empty .txt says that a picture has no boxes)"});
  }
}

}  // namespace letterpress::annotations
