#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// What Ultralytics' programs add to every norm's variance; their state dicts do not hold it.
inline constexpr double kUltralyticsEpsilon = 1e-3;

/// What stands before "0.conv.weight", the first convolution, in a file whose arrays have
/// Ultralytics' names: "model." of a network, "model.model." of the object around it, "" of its
/// list of modules. Nothing: the names are others.
std::optional<std::string> ultralytics_prefix(const WeightFile& file);

/// The model whose blocks' kernels, all but the head's, are in the file under Ultralytics' names,
/// with their shapes. Empty: none of ours.
std::string fitting_model(const WeightFile& file, const std::string& prefix);

/// Refuses a whole network of YOLOv5. Throws Error (data).
void refuse_yolov5(const WeightFile& file, const Graph& graph, const std::string& where);

/// Where a file's arrays go.
struct ArrayTargets {
  std::vector<std::string> tensors{};  ///< for each array a tensor of the graph; empty: none
  /// Variances of norms that are folded into their convolutions, by array: nothing is added to
  /// them.
  std::set<std::string> folded{};
};
/// For each array of the file the tensor of a yolov8 or yolo11 graph; none for counters and the
/// fixed kernel of the distances. Where a norm was folded into its convolution the file's bias is
/// the norm's; the unit norm around it is appended to the file. Arrays that the model does not
/// have, and tensors of it that the file does not have, are of another architecture: throws Error
/// (data) naming the first of them. where: the file, for messages.
ArrayTargets targets_by_structure(WeightFile& file, const Graph& graph, const std::string& where);

/// Checks what arrays do not show, where the file has modules: their classes and order, what each
/// reads, strides and groups of convolutions, activations, residual connections. Throws Error
/// (data) naming the first module that differs from the graph of yolov8 or yolo11.
void check_modules(const WeightFile& file, const Graph& graph, const std::string& where);

}  // namespace letterpress
