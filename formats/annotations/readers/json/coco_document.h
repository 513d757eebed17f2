#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "coco_ids.h"
#include "formats/annotations/files/file_tree.h"
#include "letterpress/base/box.h"

namespace letterpress::annotations {

/// One entry of `images`. Entries keep their index, so the n-th of the file is images[n].
struct CocoImage {
  std::int64_t id = -1;
  std::string file_name;
  std::string split_word;              ///< a key of its own that some files have; empty: none
  std::int32_t width = 0, height = 0;  ///< 0: not stated
  std::string fault;                   ///< why it cannot be used; empty: it can be
};

struct CocoAnnotation {
  std::int64_t image_id = -1, category_id = -1;
  double x = 0, y = 0, width = 0, height = 0;  ///< pixels, top left corner
  float area = -1;                             ///< < 0: not stated
  double rotation = 0;  ///< degrees clockwise around the centre: CVAT's attribute
  bool crowd = false;
  bool is_mask = false;                 ///< no bbox, and its segmentation is no outline: no box
  bool from_outline = false;            ///< no bbox: the box around its segmentation
  std::vector<OutlinePoint> outline{};  ///< of its segmentation, where that is of the box
  /// Corners around its segmentation, beside a bbox: x1, y1, x2, y2; all 0: it has none.
  std::array<float, 4> extent{};
  bool ignored = false;    ///< "ignore", as CrowdHuman's and LVIS's converters write it
  bool difficult = false;  ///< a key of our own (VOC's flag); ignored when of another type
  std::string fault;
};

struct CocoCategory {
  std::int64_t id = -1;
  std::string name;
  std::string group{};  ///< its supercategory
};

/// What Letterpress takes of a COCO detection file (cocodataset.org/#format-data).
struct CocoDocument {
  std::vector<CocoImage> images;
  std::vector<CocoAnnotation> annotations;
  std::vector<CocoCategory> categories;  ///< by id, ids and names are unique
  std::string group_of_all{};  ///< a first category that was no class: Roboflow puts its project's
                               ///< name there, as the supercategory of all others
  CocoIds ids;
};

/// slack: by how much an outline may differ from its bbox because of rounding, in their unit.
/// Throws Error (data) naming byte and reason when the file is not JSON, is cut, or lacks one of
/// the three lists.
CocoDocument read_coco_document(const FileTree& files, const std::filesystem::path& path,
                                double slack);

}  // namespace letterpress::annotations
