#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress {

/// What an array of a weight file is for. stream: the values of all layers one after another, as
/// Darknet writes them.
enum class WeightRole { kernel, bias, gamma, beta, mean, variance, stream, other };

/// One array of another program's weight file.
struct WeightArray {
  std::string name{};  ///< as the file has it, without a leading "module." (PyTorch's DataParallel)
  std::string layer{};  ///< the layer that it belongs to: the name without its last part
  WeightRole role = WeightRole::other;
  std::vector<std::int64_t>
      shape{};  ///< kernels [out, in, h, w] or [out, in], however the file has them
  std::vector<float>
      values{};  ///< C order of `shape`; empty where the file holds no floating-point numbers
};

struct WeightFile {
  std::string format{};  ///< name in the table of formats: "keras"
  std::vector<WeightArray>
      arrays{};  ///< in the order in which the layers were made, as far as the file tells it
  double norm_epsilon = 0;  ///< that the format's programs add to a norm's variance: Keras 1e-3,
                            ///< PyTorch 1e-5, Darknet 1e-6
};

/// Reads a weight file; its first bytes say of which format, its name does not matter. Nothing in
/// it is ever executed. Throws Error: no_input when it is not there; data naming the file when it
/// is cut, damaged or of no known format, and saying what to do.
WeightFile read_weight_file(const std::filesystem::path& file);

struct WeightFormatInfo {
  std::string name, help;
};
std::vector<WeightFormatInfo> weight_format_infos();

}  // namespace letterpress
