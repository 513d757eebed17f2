#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/models/darknet.h"
#include "letterpress/weights/darknet.h"
#include "trainer/exchange/exporter.h"

namespace letterpress {
namespace {

// One name per line, so a name may hold no line break.
std::string names_file(const std::vector<std::string>& classes) {
  std::string text;
  for (const std::string& name : classes) {
    if (name.find('\n') != std::string::npos)
      throw Error({.where = "class '" + name + "'",
                   .what = "holds a line break, which a list of names cannot",
                   .fix = "rename it"},
                  Exit::configuration);
    text += name + "\n";
  }
  return text;
}

std::vector<std::filesystem::path> write_darknet(const Checkpoint& checkpoint,
                                                 const std::filesystem::path& file,
                                                 const OnnxOptions&) {
  const Graph& graph = checkpoint.info.graph;
  const std::string cfg = to_darknet_cfg(graph), names = names_file(checkpoint.info.classes);
  const std::vector<float> values = to_darknet_values(graph, graph_weights(checkpoint));
  const auto with = [&](const char* extension) {
    return std::filesystem::path(file).replace_extension(extension);
  };
  write_darknet_weights(with(".weights"), values, checkpoint.info.position);
  replace_file(with(".names"), names);
  replace_file(with(".cfg"), cfg);
  return {with(".cfg"), with(".weights"), with(".names")};
}

}  // namespace

extern constinit const ExporterEntry darknet_exporter{
    "darknet",
    ".cfg, .weights and .names, as Darknet and OpenCV's dnn read them",
    write_darknet,
    false,
    "a file",
    {},
    0,
    {BesideFile{".weights", "Darknet's weights", std::string_view("\0\0\0\0\2\0\0\0", 8)},
     BesideFile{".cfg", "Darknet's cfg", "[net]"}, BesideFile{".names", "a list of names", {}}}};

}  // namespace letterpress
