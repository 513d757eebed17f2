#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/annotations/files/input.h"
#include "formats/annotations/pictures/names_apart.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "shapes.h"
#include "stated_splits.h"

namespace letterpress::annotations {

/// One object as a label file states it: its class by name.
struct StatedBox {
  LabelBox box{};  ///< without a class id
  std::string class_name{};
};

/// One picture as a label file states it, in a format whose classes have names.
struct StatedPicture {
  std::vector<std::string> names{};  ///< the file names that it may have, the likeliest first
  /// Its name before the tool renamed it: sought where no end of `names` leads to a picture.
  std::string earlier_name{};
  std::string name{};                  ///< as it is called; empty: the name that leads to its file
  std::filesystem::path folder{};      ///< where these start; empty: the input's own folder
  std::string where{};                 ///< "labels.json: image 3"
  std::int32_t width = 0, height = 0;  ///< 0: not stated
  bool normalised = false;             ///< boxes are shares of the picture
  bool labelled = true;                ///< false: nobody has said that it holds no object
  bool skipped = false;                ///< somebody has looked at it and left it unlabelled
  std::string split{};                 ///< by its folder, or a set of the tool; empty: not stated
  std::string split_word{};            ///< what else says which (StatedSplits); empty: nothing
  std::vector<StatedBox> boxes{};
  std::vector<Reject> box_rejects{};  ///< objects that are not boxes, scope box
  std::optional<Message> fault{};     ///< why the picture cannot be used; boxes count as rejected
};

/// Makes a set of such pictures: finds their files, gives classes their ids, keeps count. The
/// classes are those of --classes, which rejects pictures with another; else `listed`, then all
/// others by name.
class StatedPictures {
 public:
  /// are_tasks: remarks call the pictures so, and count those that were skipped.
  StatedPictures(const Input& input, const AnnotationOptions& options, AnnotationSet& set,
                 bool are_tasks = false)
      : input_(input), options_(options), set_(set), are_tasks_(are_tasks) {}
  void add(StatedPicture picture);
  /// Once all are added.
  void finish(const std::vector<std::string>& listed = {});

 private:
  PictureFinder& finder_of(const StatedPicture& picture);
  Expected<std::string> find(const StatedPicture& picture);
  void refuse(const StatedPicture& picture, Reject reject);
  void count(const StatedPicture& picture);
  void add_unlabelled_remark() const;
  void set_class_list(const std::vector<std::string>& listed);

  const Input& input_;
  const AnnotationOptions& options_;
  AnnotationSet& set_;
  const bool are_tasks_;
  std::map<std::filesystem::path, PictureFinder> finders_;  ///< by the folder of the names
  std::vector<std::vector<std::string>> names_;             ///< per item, per box
  StatedSplits splits_;
  NamesApart names_apart_;
  std::int64_t not_annotated_ = 0, skipped_ = 0, empty_ = 0;  ///< of the pictures without a box
};

}  // namespace letterpress::annotations
