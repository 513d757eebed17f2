#include <iostream>
#include <nlohmann/json.hpp>

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"

namespace letterpress {
namespace {

nlohmann::json describe(const Checkpoint& checkpoint) {
  const CheckpointInfo& info = checkpoint.info;
  const GraphSize size = measure(info.graph);
  const bool resumable =
      std::any_of(checkpoint.tensors.begin(), checkpoint.tensors.end(),
                  [](const auto& named) { return named.first.starts_with("optimiser."); });
  nlohmann::json configuration = nlohmann::json::parse(info.configuration_json, nullptr, false);
  return {
      {"model", info.graph.model},
      {"loss", info.graph.loss},
      {"side", info.graph.side},
      {"classes", info.classes},
      {"anchors", info.graph.anchors},
      {"parameters", size.parameters},
      {"norm_statistics", size.norm_statistics},
      {"gflops", size.gflops},
      {"letterbox", nlohmann::json::parse(to_json(info.letterbox))},
      {"snapshot", {{"generation", info.snapshot_generation}, {"digest", info.snapshot_digest}}},
      {"epochs", info.epochs_done},
      {"step", info.step},
      {"position", info.position},
      {"figures", info.metrics},
      {"resumable", resumable},
      {"tensors", checkpoint.tensors.size()},
      {"configuration", configuration.is_discarded() ? nlohmann::json(info.configuration_json)
                                                     : std::move(configuration)}};
}

void print_text(const nlohmann::ordered_json& described) {
  for (const auto& [key, value] : described.items()) {
    std::cout << key << std::string(key.size() < 16 ? 16 - key.size() : 1, ' ')
              << (value.is_string() ? value.get<std::string>() : value.dump()) << "\n";
  }
}

struct InspectFlags {
  std::filesystem::path checkpoint;
  bool json = false;
};

int run_inspect(const InspectFlags& flags) {
  const nlohmann::json described =
      describe(read_checkpoint(find_checkpoint(flags.checkpoint, "checkpoint", &std::cerr)));
  if (flags.json) {
    std::cout << described.dump() << "\n";
  } else {
    print_text(described);
  }
  return 0;
}

}  // namespace

Command inspect_command() {
  FlagTable<InspectFlags> table;
  table.add(
      {checkpoint_flag<InspectFlags>().required(), json_flag<InspectFlags>("as one JSON line")});
  return command("inspect", "what a checkpoint holds", table, run_inspect);
}

}  // namespace letterpress
