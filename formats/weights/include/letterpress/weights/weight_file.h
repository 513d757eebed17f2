#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "letterpress/base/entry_info.h"

namespace letterpress {

/// What an array of a weight file is for. stream: the values of all layers one after another, as
/// Darknet writes them.
enum class WeightRole { kernel, bias, gamma, beta, mean, variance, stream, other };

/// One array of another program's weight file.
struct WeightArray {
  std::string name{};  ///< as the file has it, without a leading "module." (PyTorch's DataParallel)
  std::string layer{};  ///< the layer that it belongs to: the name without its last part
  WeightRole role = WeightRole::other;
  std::vector<std::int64_t> shape{};  ///< kernels [out, in, h, w] or [out, in], in any file's order
  std::vector<float>
      values{};  ///< C order of `shape`; empty where the file's are not floating-point
};

/// A module of a whole network of PyTorch, or a layer of Keras.
struct WeightModule {
  std::string name{};  ///< "model.2.m.0": what its arrays' names begin with; empty: the network
  std::string kind{};  ///< its class: "ultralytics.nn.modules.block.C2f", "LeakyReLU"
  /// Its own settings that are numbers, or several: "eps" {1e-3}, "stride" {2, 2}, "add" {1}.
  std::map<std::string, std::vector<double>> numbers{};
};

struct WeightFile {
  std::string format{};               ///< name in the table of formats: "keras"
  std::vector<WeightArray> arrays{};  ///< in the order of the layers, as far as the file has it
  /// Added to a norm's variance by the format's programs: Keras 1e-3, Darknet 1e-6. 0: they differ,
  /// as PyTorch's do (1e-5 unless a program asks for another); a module's is in its numbers.
  double norm_epsilon = 0;
  /// Of a whole network, outer ones first; of Keras' its activations alone; else empty.
  std::vector<WeightModule> modules{};
  std::string part{};  ///< keys that lead to what was read of a checkpoint: "ema"; empty: all of it
  std::vector<std::string> classes{};  ///< their names in the file; empty: it does not say
  int side = 0;  ///< pixels of the frame that it was trained with; 0: it does not say
};

/// Reads a weight file; its first bytes tell the format, its name does not matter. Nothing in it is
/// ever executed. Throws Error: no_input when it does not exist; data, naming the file and a fix,
/// when it is cut, damaged or not of a known format.
WeightFile read_weight_file(const std::filesystem::path& file);

/// The name of the format that a file's first bytes are of; empty: none that is known. Throws Error
/// (no_input, io) where it cannot be read.
std::string weight_format_of(const std::filesystem::path& file);

std::vector<EntryInfo> weight_format_infos();

}  // namespace letterpress
