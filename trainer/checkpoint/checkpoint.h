#pragma once
#include <torch/torch.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/shards/letterbox.h"
#include "letterpress/shards/tiles.h"

namespace letterpress {

/// What a checkpoint holds beside its tensors: JSON under "letterpress" in the file's metadata.
struct CheckpointInfo {
  Graph graph{};
  LetterboxRule letterbox{};
  std::optional<TileRule> tiles{};  ///< of the rows that it was trained on; none: whole pictures
  int stored_side = 0;  ///< pixels, side of the rows that it was trained on when the device resized
                        ///< them to graph.side; 0: they had graph.side
  std::vector<std::string> classes{};
  std::int64_t snapshot_generation = 0;
  std::string snapshot_digest{};  ///< logical digest, hex
  std::int64_t position = 0;      ///< samples of the stream consumed
  std::int64_t step = 0;          ///< optimiser steps done
  std::int64_t epochs_done = 0;
  std::string configuration_json{};  ///< effective flags of the run
  std::map<std::string, double>
      metrics{};             ///< "map50": 0.83, ...; non-finite values are read back as NaN
  std::string state_json{};  ///< the trainer's own: best metric so far, RNG, elapsed time
};

/// The tiles to give to the network, as frames of graph.side: of the same pixels of the source as
/// the rows that it was trained on, which the device may have resized. None: whole pictures.
std::optional<TileRule> tiles_of_frames(const CheckpointInfo& info);

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
