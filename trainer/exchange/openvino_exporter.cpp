#include "trainer/exchange/exporter.h"

namespace letterpress {

extern const ExporterEntry onnx_exporter;

// OpenVINO's own converter reads the ONNX file: convert.py, which only Python has.
extern constinit const ExporterEntry openvino_exporter{
    "openvino",
    "an .xml with ONNX's metadata and a .bin beside it, by OpenVINO's own converter (--python)",
    [](const Checkpoint& checkpoint, const std::filesystem::path& file,
       const OnnxOptions& options) { return onnx_exporter.write(checkpoint, file, options); },
    true,
    "an .xml file",
    "<?xml",
    0,
    {BesideFile{".xml", "an .xml file", "<?xml"}, BesideFile{".bin", "OpenVINO's weights", {}}}};

}  // namespace letterpress
