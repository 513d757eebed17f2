#include <algorithm>
#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "trainer/exchange/exporter.h"

namespace letterpress {

extern const ExporterEntry darknet_exporter, onnx_exporter;

std::span<const ExporterEntry* const> exporter_entries() {
  static constexpr std::array<const ExporterEntry*, 2> entries{&darknet_exporter, &onnx_exporter};
  return entries;
}

const ExporterEntry& find_exporter(const std::string& name) {
  std::vector<std::string> known;
  for (const ExporterEntry* entry : exporter_entries()) {
    if (name == entry->name) return *entry;
    known.emplace_back(entry->name);
  }
  throw Error("--to: " + unknown_name("format", name, known), Exit::usage);
}

GraphWeights graph_weights(const Checkpoint& checkpoint) {
  GraphWeights weights;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (is_for_training(name)) continue;
    const torch::Tensor values = tensor.to(torch::kFloat).contiguous();
    weights[name].assign(values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel());
  }
  return weights;
}

}  // namespace letterpress
