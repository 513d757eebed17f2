#include "letterpress/base/registry.h"

#include <array>

#include "trainer/exchange/exporter.h"

namespace letterpress {

extern const ExporterEntry darknet_exporter, onnx_exporter, openvino_exporter;

std::span<const ExporterEntry* const> exporter_entries() {
  static constexpr std::array<const ExporterEntry*, 3> entries{&darknet_exporter, &onnx_exporter,
                                                               &openvino_exporter};
  return entries;
}

const ExporterEntry& find_exporter(const std::string& name) {
  return find_entry(exporter_entries(), "export format", name);
}

GraphWeights graph_weights(const Checkpoint& checkpoint) {
  GraphWeights weights;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (is_for_training(name)) continue;
    const torch::Tensor values = tensor.to(torch::kFloat).contiguous();
    weights[name].assign(values.const_data_ptr<float>(),
                         values.const_data_ptr<float>() + values.numel());
  }
  return weights;
}

}  // namespace letterpress
