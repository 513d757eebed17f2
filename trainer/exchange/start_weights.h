#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/exchange/match.h"
#include "trainer/exchange/model_weights.h"
#include "trainer/network/network.h"

namespace letterpress {

/// Weights to start from, read from one of our checkpoints or another program's file.
struct StartWeights {
  std::string file{}, format{};  ///< format: "letterpress" or an entry of weight_format_infos()
  Graph graph{};                 ///< the model of the weights, with their own number of classes
  bool has_outputs = true;       ///< whether the output layers are there
  std::vector<std::string> classes{};  ///< their names; empty where the file does not say
  std::string part{};                  ///< as WeightFile's
  int side = 0;             ///< pixels of the frame it was trained with; 0: the file does not say
  double norm_epsilon = 0;  ///< as ModelWeights'
  bool folded = false;      ///< whether norms were folded into their convolutions
  std::map<std::string, torch::Tensor> tensors;  ///< float32 on the CPU, by the graph's names
  std::vector<WeightRow> rows;                   ///< where the file's arrays went
};
/// Whether a file is a safetensors file and says that it is one of our checkpoints.
bool is_checkpoint(const std::filesystem::path& file);

/// model: the model that another program's file fills; a checkpoint names its own. norm_epsilon: as
/// for model_weights(), 0: the format's. Throws Error as read_weight_file(), model_weights() and
/// read_checkpoint() do.
StartWeights read_start_weights(const std::filesystem::path& file, const std::string& model,
                                double norm_epsilon = 0);

/// The same for a checkpoint that was read already. file: its name.
StartWeights start_weights_of(Checkpoint checkpoint, const std::string& file);

/// Copies what fits into the network, whose classes are `classes`; the rest of it stays as it is.
/// Returns a row for each of its tensors: whether it was loaded, and why not. Throws Error
/// (configuration) under Match::strict when something does not fit, and leaves the network
/// unchanged.
std::vector<WeightRow> load_start_weights(Network& network, const StartWeights& start,
                                          const std::vector<std::string>& classes, Match match);

/// Whether a row of load_start_weights() was loaded, in whole or in part.
bool is_loaded(const WeightRow& row);
/// How many rows were loaded, in whole or in part.
std::int64_t loaded_count(const std::vector<WeightRow>& rows);

}  // namespace letterpress
