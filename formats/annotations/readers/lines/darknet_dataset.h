#pragma once
#include <filesystem>
#include <string>

#include "letterpress/annotations/annotations.h"
#include "yolo_dataset.h"

namespace letterpress::annotations {

/// Darknet's obj.data, also CVAT's "YOLO 1.1": lines `names = data/obj.names`, `train = ...`,
/// `valid = ...` (github.com/AlexeyAB/darknet, "How to train to detect your custom objects").
inline constexpr const char* kObjData = "obj.data";
bool is_darknet_data(const std::filesystem::path& path);
/// Its paths start from Darknet's folder, so each may be there by its end. Throws Error naming the
/// entry that is missing or leads nowhere.
YoloDataset read_darknet_data(const FileTree& files, const std::filesystem::path& path,
                              const AnnotationOptions& options);

/// The list of classes that an export's folder has of its own: Darknet's obj.data, Roboflow's
/// _darknet.labels or Label Studio's notes.json, from the folder; empty: none.
std::string class_list_in(const FileTree& files, const std::filesystem::path& folder);
/// The set in that folder; train/, valid/ and test/ below it are splits. Its classes are those of
/// options.classes where there are any.
YoloDataset dataset_by_class_list(const FileTree& files, const std::filesystem::path& folder,
                                  const AnnotationOptions& options);

}  // namespace letterpress::annotations
