#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace letterpress {

enum class DType { f64, f32, f16, bf16, i64, i32, u8, boolean };
std::size_t size_of(DType type);

/// A named array to be written; the bytes belong to the caller, little-endian, C order.
struct ArrayView {
  std::string name;
  DType type = DType::f32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Where a file holds an array.
struct StoredArray {
  DType type;
  std::vector<std::int64_t> shape;
  std::int64_t offset, bytes;  ///< offset: from the first byte of the data
};

}  // namespace letterpress
