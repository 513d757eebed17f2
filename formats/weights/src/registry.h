#pragma once
#include <filesystem>
#include <string_view>

#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// A format of weight files. recognises: whether a file that begins with these bytes (at most
/// kBeginBytes) is one. A new format is one file that ends in its entry, one line in registry.cpp
/// and one test file.
struct WeightFormatEntry {
  const char* name;
  const char* help;
  bool (*recognises)(std::string_view begin);
  WeightFile (*read)(const std::filesystem::path& file);
};
inline constexpr std::size_t kBeginBytes = 64;

extern const WeightFormatEntry darknet_weights, keras_model, keras_weights, pytorch_weights,
    safetensors_weights;

}  // namespace letterpress
