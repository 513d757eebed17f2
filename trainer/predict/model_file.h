#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/exchange/network_use.h"

namespace letterpress {

/// A trained network as a file has it: a checkpoint, or an ONNX file of `export --output decoded`,
/// in float32, float16 or int8.
struct ModelFile {
  std::filesystem::path file{};
  NetworkUse use{};
  std::optional<Checkpoint> checkpoint{};  ///< none: the network is in `onnx`
  std::string onnx{};                      ///< the bytes of an ONNX file

  bool is_export() const { return !checkpoint; }
};
/// An ONNX file by its extension, else a checkpoint, its weights alone. Throws Error naming the
/// file where it is neither, or gives whole pictures a class.
ModelFile read_model_file(const std::filesystem::path& file);

}  // namespace letterpress
