#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/hdf5/hdf5.h"

namespace letterpress::hdf5 {

/// Reading what other programs wrote: objects in groups, any layout, any precision, strings of any
/// kind. object: "/" or a path from the root. Every function throws Error naming file and object;
/// also where a name on the way to it is a soft or external link, or its elements are in another
/// file.

/// Once per process; every function that opens or creates a file begins with it. A process that is
/// forked off needs no time for it then.
void start_library();

/// The bytes of a file. name: what messages call it. Where a file keeps strings of variable length,
/// their lengths lead from one to the next: HDF5 1.10 reads damaged ones for ever, so they are
/// walked first. It does not bear all other damage: read where it may die (base/confined.h).
File open_foreign(std::string_view bytes, const std::string& name);

/// Names in a group, ascending; none where there is no such group. At most kMostMembers.
std::vector<std::string> members_of(const File& file, const std::string& group);
inline constexpr std::size_t kMostMembers = 100'000;

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
/// Also throws when the dataset does not hold floating-point numbers, or more than `most_bytes` of
/// them as float32: a damaged size is told before memory is taken.
Floats read_floats(const File& file, const std::string& name, std::int64_t most_bytes);
/// Whether the dataset holds floating-point numbers.
bool holds_floats(const File& file, const std::string& name);

}  // namespace letterpress::hdf5
