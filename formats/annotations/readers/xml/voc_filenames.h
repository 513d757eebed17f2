#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "formats/annotations/pictures/picture_finder.h"
#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

/// The name of a picture with the folders of its XML, where it has the XML's name and does not lie
/// in folders called so; else empty. id: VocId's.
std::string voc_name_with_folders(const std::string& id, const std::string& path);

/// XMLs whose <filename> names another picture that exists than the XML's own name: only people
/// know to which of the two the boxes belong, so that each kind is counted and told. Labelling
/// tools keep the old name when files are renamed, so one that leads nowhere says nothing.
class VocFilenames {
 public:
  /// item: the picture that was taken, by its path; item.where is the XML. id: VocId's.
  /// filename: as the XML states it; the picture may lie in the folders of the id, too.
  void note(PictureFinder& finder, const Item& item, const std::string& id,
            const std::string& filename);
  void add_to(std::vector<std::string>& remarks) const;

 private:
  struct Remark {
    std::int64_t n = 0;
    std::string first{};
  };
  // Pictures taken by the XML's name, or by <filename>, although there is another.
  Remark by_xml_, by_filename_;
};

}  // namespace letterpress::annotations
