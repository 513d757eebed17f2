#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "letterpress/weights/array.h"

namespace letterpress {

/// The header of a safetensors file.
struct SafetensorsHeader {
  std::map<std::string, StoredArray> arrays;  ///< offsets count from the first byte of the data
  std::map<std::string, std::string> metadata;
};

/// Refuses what the format forbids: names given twice, unknown types, sizes that do not match the
/// shape, overlaps, holes, and data that end before or after `data_bytes`. Throws Error without the
/// file's name.
SafetensorsHeader parse_header(const std::string& text, std::int64_t data_bytes);
/// JSON, padded with spaces so that 8 + its length is a multiple of 8.
std::string header_text(const SafetensorsHeader& header);

/// The type's name in the format: "F32".
const char* name_of(DType type);
/// Number of values of a shape. Throws Error when it is negative or does not fit in 63 bits.
std::int64_t element_count(const std::vector<std::int64_t>& shape);

}  // namespace letterpress
