#pragma once
#include <cstdint>
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

std::string info_to_json(const CheckpointInfo& info);
/// Throws Error without the file's name: naming the field, or for a newer version.
CheckpointInfo info_from_json(const std::string& text);

}  // namespace letterpress
