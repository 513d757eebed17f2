#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "trainer/checkpoint/promised.h"
#include "trainer/exchange/exporter.h"

namespace letterpress {
namespace {

/// What Ultralytics' AutoBackend looks for in an exported file; names is a Python dict.
void describe_for_ultralytics(const CheckpointInfo& info,
                              std::map<std::string, std::string>& metadata) {
  std::string names;
  for (std::size_t i = 0; i < info.classes.size(); ++i)
    names += (i ? ", " : "") + std::to_string(i) + ": " + nlohmann::json(info.classes[i]).dump();
  const std::string side = std::to_string(info.graph.side);
  metadata["task"] = "detect";
  metadata["names"] = "{" + names + "}";
  metadata["stride"] = "32";
  metadata["batch"] = "1";
  metadata["imgsz"] = "[" + side + ", " + side + "]";
}

std::vector<std::filesystem::path> write_onnx(const Checkpoint& checkpoint,
                                              const std::filesystem::path& file,
                                              const OnnxOptions& options) {
  const CheckpointInfo& info = checkpoint.info;
  OnnxOptions described = options;
  described.metadata["model"] = info.graph.model;
  described.metadata["side"] = std::to_string(info.graph.side);
  described.metadata["letterbox"] = to_json(info.letterbox);
  if (const auto tiles = tiles_of_frames(info)) described.metadata["tiles"] = to_json(*tiles);
  described.metadata["classes"] = nlohmann::json(info.classes).dump();
  described.metadata["snapshot_digest"] = info.snapshot_digest;
  if (options.output == OnnxOutput::ultralytics) describe_for_ultralytics(info, described.metadata);
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
