#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/hdf5/hdf5.h"

namespace letterpress::hdf5 {

// HDF5's little-endian type of a Number. Borrowed: never to be closed.
hid_t type_of(Number number);

// Throws "<where>: <what> (HDF5: <innermost message>); <fix>" when a call failed.
void require(herr_t status, const std::string& where, const std::string& what);

// Comes before each call that creates or writes: throws Error (io) when a test makes it fail
// (base/fault_hook.h).
void ask_to_change(const char* operation, const std::string& path);

// Ends the name that HDF5 has for bytes in memory: it asks for one that no file has. No part of
// path_of().
inline constexpr std::string_view kOfBytes = "/.";

// A new dataset as the creation properties `how` say. Throws Error (io) naming file and dataset.
Dataset make_dataset(const File& file, const std::string& name, Number number,
                     const std::vector<std::int64_t>& shape, const PropertyList& how);

// An existing dataset; its element type. Both throw Error naming file and dataset.
Dataset open_dataset(const File& file, const std::string& name);
Number number_of(const Dataset& dataset, const std::string& where);

// Dimensions of a dataset.
std::vector<std::int64_t> shape_of(const Dataset& dataset, const std::string& where);

// Throws Error (data) naming `name` and the place where a collection of strings of variable length
// cannot be walked to its end.
void check_global_heaps(std::string_view bytes, const std::string& name);

// "a.h5: /boxes": how messages name a dataset or attribute.
std::string where_of(const File& file, const std::string& name);

}  // namespace letterpress::hdf5
