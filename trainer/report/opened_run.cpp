#include "trainer/report/opened_run.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/derived_options.h"

namespace letterpress {
namespace {

std::filesystem::path store_of(const nlohmann::json& flags, const std::filesystem::path& file) {
  if (flags.contains("store") && flags.at("store").is_string())
    return flags.at("store").get<std::string>();
  throw Error({.where = file.string(),
               .what = "does not say which store it was trained on",
               .fix = "name one with --store"},
              Exit::usage);
}

Snapshot snapshot_for(const Store& store, const std::string& wanted, const CheckpointInfo& info) {
  const std::vector<std::int64_t> all = store.generations();
  const bool own =
      wanted.empty() && std::find(all.begin(), all.end(), info.snapshot_generation) != all.end();
  if (!own) return choose_snapshot(store, wanted);
  Snapshot snapshot = store.snapshot(info.snapshot_generation);
  return snapshot.logical_digest.hex() == info.snapshot_digest ? snapshot
                                                               : choose_snapshot(store, wanted);
}

}  // namespace

std::string OpenedRun::text() const {
  return file.string() + ", snapshot " + std::to_string(reader.snapshot().generation) + " of " +
         store.folder().string();
}

OpenedRun open_run(const std::filesystem::path& run, std::filesystem::path store,
                   const std::string& snapshot) {
  const std::filesystem::path file = find_checkpoint(run, "run");
  Checkpoint checkpoint = read_checkpoint(file, true);
  nlohmann::json flags = flags_from_json(checkpoint.info.configuration_json);
  if (store.empty()) store = store_of(flags, file);
  Store opened = Store::open(store);
  SnapshotReader reader(opened, snapshot_for(opened, snapshot, checkpoint.info));
  check_fits(checkpoint.info, reader.snapshot(), file.string());
  check_labels(checkpoint.info.graph, reader.snapshot(), store.string());
  FitOptions options = with_begun({}, flags, {}, file.string());
  return {file,
          std::move(checkpoint),
          std::move(flags),
          std::move(options),
          std::move(opened),
          std::move(reader)};
}

NetworkAndLoss network_and_loss(const OpenedRun& run, torch::Device device) {
  auto network = network_for_use(run.checkpoint, device);
  auto loss = make_loss(network->graph(), loss_options(run.options));
  return {std::move(network), std::move(loss)};
}

}  // namespace letterpress
