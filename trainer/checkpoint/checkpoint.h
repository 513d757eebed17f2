#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "trainer/checkpoint/info.h"

namespace letterpress {

/// One safetensors file. Plain names: the weights to use (EMA when on) and statistics;
/// "train.<name>" raw weights and statistics when they differ; "optimiser.<name>.<slot>" moments.
/// Whole or absent. Beside the JSON the metadata hold two XXH3-128 sums: of the JSON with the plain
/// tensors, and of the others. Every read compares them, so a flipped bit is never trained on.
struct Checkpoint {
  CheckpointInfo info;
  std::map<std::string, torch::Tensor>
      tensors;  ///< on the CPU; float64|32|16, bfloat16, int64|32, uint8 or bool
};
/// Tensors may be on any device and in any layout; the file has them in C order.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// weights_only: leaves out "train.*" and "optimiser.*" without reading them. Throws Error naming
/// the file: cut, damaged, not a checkpoint of ours, newer format.
Checkpoint read_checkpoint(const std::filesystem::path& file, bool weights_only = false);
/// "train.*" and "optimiser.*": what only training needs.
bool is_for_training(const std::string& name);

}  // namespace letterpress
