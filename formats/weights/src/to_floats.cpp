#include "to_floats.h"

#include <bit>
#include <cstring>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

template <typename Number, typename Convert>
std::vector<float> convert(std::span<const std::byte> bytes, Convert to_float) {
  std::vector<float> values(bytes.size() / sizeof(Number));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    values[i] = to_float(number);
  }
  return values;
}

// IEEE 754 binary16: 1 bit of sign, 5 of exponent (bias 15), 10 of fraction.
float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu,
                      fraction = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  const float magnitude = exponent == 0
                              ? static_cast<float>(fraction) * 0x1p-24f
                              : std::bit_cast<float>((exponent + 112) << 23 | fraction << 13);
  return sign ? -magnitude : magnitude;
}

}  // namespace

bool is_floating(DType type) {
  return type == DType::f64 || type == DType::f32 || type == DType::f16 || type == DType::bf16;
}

std::vector<float> to_floats(DType type, std::span<const std::byte> bytes) {
  switch (type) {
    case DType::f64:
      return convert<double>(bytes, [](double number) { return static_cast<float>(number); });
    case DType::f32:
      return convert<float>(bytes, [](float number) { return number; });
    case DType::f16:
      return convert<std::uint16_t>(bytes, half_to_float);
    case DType::bf16:
      return convert<std::uint16_t>(bytes, [](std::uint16_t number) {
        return std::bit_cast<float>(std::uint32_t{number} << 16);
      });
    default:
      throw Error("weights: a whole number is not a weight", Exit::bug);
  }
}

}  // namespace letterpress
