#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "letterpress/shards/store.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/losses/loss.h"
#include "trainer/network/network.h"

namespace letterpress {

/// A trained model and the snapshot to examine it on.
struct OpenedRun {
  std::filesystem::path file;  ///< the checkpoint; for a run's folder the one to use
  Checkpoint checkpoint;       ///< weights to use
  nlohmann::json flags;        ///< that it was trained with; null when unknown
  FitOptions options;          ///< from the flags; else the defaults
  Store store;
  SnapshotReader reader;

  /// "run/best.safetensors, snapshot 3 of store"
  std::string text() const;
};

/// run: a run's folder, or a checkpoint. store: empty for the one that it was trained on. snapshot:
/// a generation, "latest", or empty for the one that it was trained on if the store still has it,
/// else the latest. Throws Error: usage when neither the checkpoint nor `store` names a store;
/// no_input when something does not exist; configuration when the model does not fit this store.
OpenedRun open_run(const std::filesystem::path& run, std::filesystem::path store,
                   const std::string& snapshot);

/// The run's network on a device, and the loss with the run's options.
struct NetworkAndLoss {
  std::unique_ptr<Network> network;
  std::unique_ptr<Loss> loss;
};
NetworkAndLoss network_and_loss(const OpenedRun& run, torch::Device device);

}  // namespace letterpress
