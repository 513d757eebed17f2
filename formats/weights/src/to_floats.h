#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/weights/safetensors.h"

namespace letterpress {

/// Little-endian numbers as float32. type: one of is_floating().
std::vector<float> to_floats(DType type, std::span<const std::byte> bytes);
bool is_floating(DType type);

}  // namespace letterpress
