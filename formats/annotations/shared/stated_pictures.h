#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/annotations/files/input.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "shapes.h"

namespace letterpress::annotations {

/// One object as a label file states it: its class by name.
struct StatedBox {
  LabelBox box{};  ///< without a class id
  std::string class_name{};
};

/// One picture as a label file states it, in a format whose classes have names.
struct StatedPicture {
  std::vector<std::string> names{};    ///< the file names that it may have, the likeliest first
  std::filesystem::path folder{};      ///< where these start; empty: the input's own folder
  std::string where{};                 ///< "labels.json: image 3"
  std::int32_t width = 0, height = 0;  ///< 0: not stated
  bool normalised = false;             ///< boxes are shares of the picture
  bool labelled = true;                ///< false: nobody has said that it holds no object
  std::string split{};                 ///< empty: not stated
  std::vector<StatedBox> boxes{};
  std::vector<Reject> box_rejects{};  ///< objects that are not boxes, scope box
  std::optional<Message> fault{};     ///< why the picture cannot be used; boxes count as rejected
};

/// Makes a set of such pictures: finds their files, gives classes their ids, keeps count. The
/// classes are those of --classes, which rejects pictures with another; else `listed`, then all
/// others by name.
class StatedPictures {
 public:
  StatedPictures(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input), options_(options), set_(set) {}
  void add(StatedPicture picture);
  /// Once all are added.
  void finish(const std::vector<std::string>& listed = {});

 private:
  PictureFinder& finder_of(const StatedPicture& picture);
  void refuse(const StatedPicture& picture, Reject reject);
  void set_class_list(const std::vector<std::string>& listed);

  const Input& input_;
  const AnnotationOptions& options_;
  AnnotationSet& set_;
  std::map<std::filesystem::path, PictureFinder> finders_;  ///< by the folder of the names
  std::vector<std::vector<std::string>> names_;             ///< per item, per box
};

}  // namespace letterpress::annotations
