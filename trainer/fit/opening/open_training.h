#pragma once
#include <torch/types.h>

#include <optional>

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/exchange/start_weights.h"
#include "trainer/fit/opening/run.h"

namespace letterpress {

/// What the model of a run begins with: the checkpoint that goes on, or the weights that --init or
/// --pretrained name, or neither.
struct ModelStart {
  Graph graph{};
  std::optional<Checkpoint> resumed{};
  std::optional<StartWeights> weights{};  ///< rank 0's; the others copy its network
};

struct OpenedTraining {
  torch::Device device;  ///< that this process is set up for
  Run run;
  ModelStart start;
};

/// Sets this process up for the device, opens and checks all that a training works on: for the
/// training and for its dry run. Writes nothing. options: valid, of this rank. note: told line by
/// line what was found. Collective. Throws Error where the options conflict with the run in --out,
/// the store or the model.
OpenedTraining open_training(const FitOptions& options, const Note& note);

}  // namespace letterpress
