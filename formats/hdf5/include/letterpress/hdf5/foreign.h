#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/hdf5/hdf5.h"

namespace letterpress::hdf5 {

/// Reading what other programs wrote: objects in groups, any layout, any precision, strings of any
/// kind. object: "/" or a path from the root. Every function but has_attribute throws Error naming
/// file and object.

bool has_attribute(const File& file, const std::string& object, const std::string& name);
/// An attribute that is a string or a one-dimensional array of strings, of fixed or variable
/// length.
std::vector<std::string> read_texts_attribute(const File& file, const std::string& object,
                                              const std::string& name);

/// Floating-point values of any dataset, C order, converted to float32.
struct Floats {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};
/// Also throws when the dataset does not hold floating-point numbers, or claims to hold more than
/// the whole file could.
Floats read_floats(const File& file, const std::string& name);

}  // namespace letterpress::hdf5
