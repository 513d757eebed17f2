#pragma once
#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/models/onnx.h"
#include "trainer/checkpoint/checkpoint.h"

namespace letterpress {

/// A file that a format writes beside or in place of the one that --out names.
struct BesideFile {
  const char* extension = nullptr;  ///< in place of --out's: ".bin"
  const char* kind = "a file";      ///< "Darknet's weights"
  std::string_view mark{};  ///< bytes that such files begin with; empty: nothing tells them, and
                            ///< one that is there is replaced beside its first file only
};

/// Writes a checkpoint's network in another program's format. Returns the files that it wrote; each
/// is whole or absent. file: as the user gave it. options: for formats that hold more than layers.
/// Throws Error (configuration) when the format cannot hold the network.
struct ExporterEntry {
  const char* name;
  const char* help;
  std::vector<std::filesystem::path> (*write)(const Checkpoint& checkpoint,
                                              const std::filesystem::path& file,
                                              const OnnxOptions& options);
  /// What it writes is ONNX, which OpenVINO's converter has to turn into the format.
  bool converted_by_openvino = false;
  const char* kind = "a file";  ///< that --out names, "an ONNX file"
  std::string_view mark{};      ///< bytes that such files have, at `mark_at`; empty: none
  std::size_t mark_at = 0;
  /// The others, the one that others are told by first.
  std::array<BesideFile, 3> beside{};
};
std::span<const ExporterEntry* const> exporter_entries();  ///< by name, ascending
/// Throws Error (usage) listing the known names, nearest first.
const ExporterEntry& find_exporter(const std::string& name);

/// A checkpoint's weights to use (not "train.*", not "optimiser.*") as float32 values.
GraphWeights graph_weights(const Checkpoint& checkpoint);

}  // namespace letterpress
