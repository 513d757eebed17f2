#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "letterpress/models/graph.h"

namespace letterpress {

/// A module of Ultralytics' list: its class, and which modules it reads (-1: the one before).
struct ListedModule {
  const char* kind;
  std::vector<double> from;
};

/// Ends of our layers' names after a block's, and of their modules: "_split", ".cv1".
using LayerParts = std::span<const std::pair<const char*, const char*>>;

/// A block of our graph and the module that it is, as Ultralytics' list numbers it.
struct ListedBlock {
  const char* ours;
  const char* theirs;
  LayerParts parts;
};

/// How Ultralytics writes the models of one family.
struct UltralyticsLayout {
  const char* family;  ///< what the models' names begin with: "yolov8"
  std::vector<ListedModule> modules;
  std::vector<ListedBlock> blocks;  ///< a name that continues another stands first
  LayerParts block_parts;           ///< within "<block>_block<n>" and "_inner<n>"
  const char* pooling;
  std::vector<const char*> upsamples;
  const char* distances;  ///< the kernel that takes a distance's mean: 0, 1, ... 15, never trained
};

/// nullptr: the model is not one of Ultralytics'.
const UltralyticsLayout* ultralytics_layout(const std::string& model);

/// The module that a graph's convolution is, without prefix: of yolov8, "stage1_split" -> "2.cv1",
/// "head8_box_output" -> "22.cv2.0.2".
std::string ultralytics_module(const UltralyticsLayout& layout, const std::string& layer);

}  // namespace letterpress
