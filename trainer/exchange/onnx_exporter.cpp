#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "trainer/checkpoint/promised.h"
#include "trainer/exchange/exporter.h"

namespace letterpress {
namespace {

std::vector<std::filesystem::path> write_onnx(const Checkpoint& checkpoint,
                                              const std::filesystem::path& file,
                                              const OnnxOptions& options) {
  const CheckpointInfo& info = checkpoint.info;
  OnnxOptions described = options;
  described.metadata["model"] = info.graph.model;
  described.metadata["side"] = std::to_string(info.graph.side);
  described.metadata["letterbox"] = to_json(info.letterbox);
  described.metadata["classes"] = nlohmann::json(info.classes).dump();
  described.metadata["snapshot_digest"] = info.snapshot_digest;
  if (const auto promised = promised_of(info))
    described.metadata["promise"] = nlohmann::json{
        {"recall", promised->recall},
        {"probability", promised->probability},
        {"confidence",
         promised->confidence}}.dump();
  replace_file(file, to_onnx(info.graph, graph_weights(checkpoint), described));
  return {file};
}

}  // namespace

extern constinit const ExporterEntry onnx_exporter{
    "onnx",
    "one .onnx file with the letterbox rule and the class names in its metadata; input 'images' "
    "[B, 3, side, side], RGB 0..1",
    write_onnx};

}  // namespace letterpress
