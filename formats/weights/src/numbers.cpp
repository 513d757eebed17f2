#include "numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

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

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// The number at the begin of `text`, taken off it, leading zeros dropped.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

WeightRole role_of(std::string_view last, std::size_t dimensions) {
  if (last == "weight" && (dimensions == 4 || dimensions == 2)) return WeightRole::kernel;
  if (last == "weight" && dimensions == 1) return WeightRole::gamma;
  if (last == "bias" && dimensions == 1) return WeightRole::bias;
  if (last == "running_mean") return WeightRole::mean;
  return last == "running_var" ? WeightRole::variance : WeightRole::other;
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
      throw Error("weights: a whole number is no weight", Exit::bug);
  }
}

WeightArray named_as_pytorch(std::string_view name, std::vector<std::int64_t> shape) {
  while (name.starts_with("module.")) name.remove_prefix(7);
  const std::size_t dot = name.rfind('.');
  const std::string_view layer = dot == std::string_view::npos ? "" : name.substr(0, dot);
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const WeightRole role = role_of(last, shape.size());
  return {.name = std::string(name),
          .layer = std::string(layer),
          .role = role,
          .shape = std::move(shape)};
}

void pair_norms(std::vector<WeightArray>& arrays) {
  std::set<std::string> norms;
  for (const WeightArray& array : arrays) {
    if (array.role == WeightRole::gamma || array.role == WeightRole::mean)
      norms.insert(array.layer);
  }
  for (WeightArray& array : arrays) {
    if (array.role == WeightRole::bias && norms.contains(array.layer))
      array.role = WeightRole::beta;
  }
}

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (left != right)
        return left.size() != right.size() ? left.size() < right.size() : left < right;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

}  // namespace letterpress
