#include <algorithm>

#include "letterpress/base/detection_defaults.h"
#include "letterpress/base/file.h"
#include "letterpress/models/onnx_metadata.h"
#include "trainer/exchange/exporter.h"
#include "trainer/exchange/onnx_description.h"

namespace letterpress {
namespace {

std::vector<std::filesystem::path> write_onnx(const Checkpoint& checkpoint,
                                              const std::filesystem::path& file,
                                              const OnnxOptions& options) {
  OnnxOptions described = options;
  described.metadata = describe(checkpoint.info, options);
  if (tiles_of_frames(checkpoint.info))
    described.confidence = std::min(options.confidence, kCountedConfidence);
  replace_file(file,
               with_digest(to_onnx(checkpoint.info.graph, graph_weights(checkpoint), described)));
  return {file};
}

}  // namespace

extern constinit const ExporterEntry onnx_exporter{
    "onnx",
    "one .onnx file; its metadata say how pixels are made and what the outputs are; input 'images' "
    "[B, 3, side, side], RGB 0..1",
    write_onnx,
    false,
    "an ONNX file",
    "\x12",
    2};  // behind its version: the name of what wrote it

}  // namespace letterpress
