#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// One line of the table that shows where each array went.
struct WeightRow {
  std::string source{};  ///< the array's name in the file; empty: the file has none
  std::string shape{};   ///< "[32, 3, 3, 3]", as our layers have it
  std::string target{};  ///< the model's tensor; empty: the array is left out
  std::string note{};    ///< why it is left out, or how it was changed
};
/// Columns side by side, a line each.
std::string to_text(const std::vector<WeightRow>& rows);

/// A weight file's arrays under a model's names; a backbone fills only the first layers.
struct ModelWeights {
  struct Tensor {
    std::string source{};
    std::vector<std::int64_t> shape{};
    std::vector<float> values{};
  };
  Graph graph{};  ///< the model for as many classes as the file's output layers have
  bool has_outputs =
      false;  ///< whether the file has output layers; without them graph.classes has no meaning
  std::map<std::string, Tensor> tensors;  ///< by the graph's names
  /// What its programs add to variances: the largest over the norms; 0: there are none, or they are
  /// our own.
  double norm_epsilon = 0;
  bool folded = false;          ///< whether norms were folded into their convolutions
  std::vector<WeightRow> rows;  ///< every array of the file, in its order; then each tensor that
                                ///< the file does not have
};

/// Finds out which array of the file is which tensor of the named model:
///   names      where the file has tensors of the model's own names
///   structure  where its names are those of Ultralytics' modules, and the model is one of
///              theirs: module by module
///   order      else: its convolutions and, separately, its norms are the model's, in the order
///              in which they were made, as in Darknet's cfg files, keras-yolo3 and the PyTorch
///              programs that read cfg files
///   stream     Darknet's values, cut by the model's shapes
/// Variances are changed by the difference between the epsilon of the file's program and the
/// layer's, so that the network computes the same: norm_epsilon > 0, else what the module, its
/// structure or its format says. where: the file, for messages. Throws Error (data) when what it
/// holds does not fit the model, saying which array stands where which tensor was expected, and
/// (usage) when nothing says the epsilon of its norms.
ModelWeights model_weights(WeightFile file, const std::string& model, double norm_epsilon,
                           const std::string& where);

}  // namespace letterpress
