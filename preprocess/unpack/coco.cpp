// COCO: SPLIT.json beside images/SPLIT (cocodataset.org/#format-data).
#include "letterpress/detections/coco.h"

#include <unordered_set>

#include "preprocess/unpack/format.h"

namespace letterpress {
extern const UnpackFormat unpack_coco;
namespace {

std::string coco_folder(const std::string& split, const UnpackedPicture&, const Snapshot&) {
  return "images/" + split;
}

// The labels' own ids where every picture of the split has one of its own, else 1, 2, ...
std::vector<std::int64_t> image_ids(const std::vector<UnpackedPicture>& pictures) {
  std::vector<std::int64_t> own, counted;
  std::unordered_set<std::int64_t> seen;
  for (const UnpackedPicture& picture : pictures) {
    counted.push_back(static_cast<std::int64_t>(counted.size()) + 1);
    if (picture.image_id >= 0 && seen.insert(picture.image_id).second)
      own.push_back(picture.image_id);
  }
  return own.size() == counted.size() ? own : counted;
}

// Own ids are kept; a class without one gets the next that is free.
std::vector<CocoGroundTruth::Category> categories(const Snapshot& snapshot) {
  std::unordered_set<std::int64_t> taken;
  for (const auto& [name, id] : snapshot.category_ids) taken.insert(id);
  std::vector<CocoGroundTruth::Category> list;
  std::unordered_set<std::int64_t> given;
  std::int64_t next = 1;
  for (const std::string& name : snapshot.classes) {
    const auto own = snapshot.category_ids.find(name);
    if (own != snapshot.category_ids.end() && given.insert(own->second).second) {
      list.push_back({own->second, name});
      continue;
    }
    while (taken.contains(next)) ++next;
    taken.insert(next);
    list.push_back({next, name});
  }
  return list;
}

CocoGroundTruth ground_truth_of(const std::vector<UnpackedPicture>& pictures,
                                const Snapshot& snapshot) {
  CocoGroundTruth ground_truth{.categories = categories(snapshot)};
  const std::vector<std::int64_t> ids = image_ids(pictures);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const UnpackedPicture& picture = pictures[i];
    ground_truth.images.push_back({ids[i], picture.path(), picture.width, picture.height});
    for (const LabelBox& box : picture.boxes) {
      ground_truth.annotations.push_back(
          {.image_id = ids[i],
           .category_id = ground_truth.categories.at(static_cast<std::size_t>(box.class_id)).id,
           .box = {box.x1, box.y1, double{box.x2} - box.x1, double{box.y2} - box.y1},
           .area = box.area,
           .crowd = (box.flags & kCrowd) != 0,
           .difficult = (box.flags & kDifficult) != 0});
    }
  }
  return ground_truth;
}

void write_coco_labels(const UnpackedSet& set, const std::filesystem::path& folder,
                       const std::filesystem::path& out, UnpackReport& report) {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& [split, pictures] : set.splits) {
    write_coco_ground_truth(folder / (split + ".json"), ground_truth_of(pictures, set.snapshot));
    files[split] = out / (split + ".json");
  }
  add_split_flags(files, report);
}

}  // namespace

constinit const UnpackFormat unpack_coco{"coco",
                                         "SPLIT.json with crowd and difficult flags, areas and the "
                                         "labels' own ids; pictures in images/SPLIT",
                                         true,
                                         false,
                                         coco_folder,
                                         write_coco_labels};

}  // namespace letterpress
