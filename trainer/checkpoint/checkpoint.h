#pragma once
#include <torch/torch.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/shards/letterbox.h"

namespace letterpress {

/// What a checkpoint says beside its tensors; JSON under "letterpress" in the file's metadata.
struct CheckpointInfo {
  Graph graph;
  LetterboxRule letterbox;
  std::vector<std::string> classes;
  std::int64_t snapshot_generation = 0;
  std::string snapshot_digest;  ///< logical digest, hex
  std::int64_t position = 0;    ///< samples of the stream consumed
  std::int64_t step = 0;        ///< optimiser steps done
  std::int64_t epochs_done = 0;
  std::string configuration_json;         ///< effective flags of the run
  std::map<std::string, double> figures;  ///< "map50": 0.83, ...
  std::string state_json;                 ///< the trainer's own: best figure so far, RNG, elapsed time
};

/// One safetensors file. Plain names: the weights to use (EMA when on) and statistics; "train.<name>" raw weights and statistics when they
/// differ; "optimiser.<name>.<slot>" moments. Whole or absent.
struct Checkpoint {
  CheckpointInfo info;
  std::map<std::string, torch::Tensor> tensors;  ///< on the CPU
};
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// Throws Error naming the file: cut, not a checkpoint of ours, newer format.
Checkpoint read_checkpoint(const std::filesystem::path& file, bool weights_only = false);

}  // namespace letterpress
