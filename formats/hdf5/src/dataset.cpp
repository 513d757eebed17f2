#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "letterpress/hdf5/hdf5.h"
#include "types.h"

namespace letterpress::hdf5 {
namespace {

struct NumberInfo {
  Number number;
  const char* name;
  std::int64_t size;
};
constexpr std::array kNumbers{
    NumberInfo{Number::u8, "uint8", 1},   NumberInfo{Number::u16, "uint16", 2},
    NumberInfo{Number::i32, "int32", 4},  NumberInfo{Number::i64, "int64", 8},
    NumberInfo{Number::u64, "uint64", 8}, NumberInfo{Number::f32, "float32", 4},
    NumberInfo{Number::f64, "float64", 8}};

const NumberInfo& info_of(Number number) { return kNumbers[static_cast<std::size_t>(number)]; }

// Bytes of all elements, -1 when they are more than a file can have.
std::int64_t bytes_of(const ContiguousDataset& place) {
  std::int64_t bytes = size_of(place.number);
  for (const std::int64_t dimension : place.shape) {
    if (dimension < 0 || __builtin_mul_overflow(bytes, dimension, &bytes)) return -1;
  }
  return bytes;
}

bool is_contiguous(const Dataset& dataset, const std::string& where) {
  const PropertyList list(H5Dget_create_plist(dataset), {where, "its layout cannot be read"});
  return H5Pget_layout(list) == H5D_CONTIGUOUS && H5Pget_external_count(list) == 0;
}

PropertyList early_allocation(const std::string& where) {
  PropertyList list(H5Pcreate(H5P_DATASET_CREATE), {where, "dataset properties cannot be made"});
  require(H5Pset_layout(list, H5D_CONTIGUOUS), where, "layout cannot be set");
  require(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY), where, "allocation time cannot be set");
  require(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), where, "fill time cannot be set");
  require(H5Pset_obj_track_times(list, false), where, "times cannot be switched off");
  return list;
}

ContiguousDataset find_column(const File& file, const std::string& name, Number number) {
  ContiguousDataset place = find_dataset(file, name);
  if (place.number == number && place.shape.size() == 1) return place;
  throw Error({.where = where_of(file, name),
               .what = "is " + to_string(place.number) + " " + to_string(place.shape) +
                       ", must be " + to_string(number) + " of one dimension"});
}

}  // namespace

hid_t type_of(Number number) {
  switch (number) {
    case Number::u8:
      return H5T_STD_U8LE;
    case Number::u16:
      return H5T_STD_U16LE;
    case Number::i32:
      return H5T_STD_I32LE;
    case Number::i64:
      return H5T_STD_I64LE;
    case Number::u64:
      return H5T_STD_U64LE;
    case Number::f32:
      return H5T_IEEE_F32LE;
    case Number::f64:
      return H5T_IEEE_F64LE;
  }
  return H5I_INVALID_HID;
}

Dataset open_dataset(const File& file, const std::string& name) {
  return Dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT),
                 {where_of(file, name), "is missing or unreadable"});
}

Number number_of(const Dataset& dataset, const std::string& where) {
  const Type type(H5Dget_type(dataset), {where, "its type cannot be read"});
  for (const NumberInfo& info : kNumbers) {
    if (H5Tequal(type, type_of(info.number)) > 0) return info.number;
  }
  throw Error(
      {.where = where,
       .what =
           "holds neither uint8, uint16, int32, int64, uint64, float32 nor float64, little-endian",
       .fix = "it was not written by Letterpress"});
}

std::vector<std::int64_t> shape_of(const Dataset& dataset, const std::string& where) {
  const Space space(H5Dget_space(dataset), {where, "its shape cannot be read"});
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) throw Error({.where = where, .what = "has no shape (HDF5: " + last_error() + ")"});
  std::vector<hsize_t> dimensions(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, dimensions.data(), nullptr);
  return {dimensions.begin(), dimensions.end()};
}

std::string to_string(Number number) { return info_of(number).name; }
std::int64_t size_of(Number number) { return info_of(number).size; }

std::string to_string(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Dataset make_dataset(const File& file, const std::string& name, Number number,
                     const std::vector<std::int64_t>& shape, const PropertyList& how) {
  const std::string where = where_of(file, name);
  const std::vector<hsize_t> dimensions(shape.begin(), shape.end());
  ask_to_change("write", path_of(file));
  const Space space(
      H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr),
      {where, "shape " + to_string(shape) + " is not possible"});
  return Dataset(
      H5Dcreate2(file, name.c_str(), type_of(number), space, H5P_DEFAULT, how, H5P_DEFAULT),
      {where, "cannot be created"}, Exit::io);
}

ContiguousDataset create_dataset(const File& file, const std::string& name, Number number,
                                 const std::vector<std::int64_t>& shape) {
  silence();
  const Dataset dataset =
      make_dataset(file, name, number, shape, early_allocation(where_of(file, name)));
  ContiguousDataset place{number, shape, 0, 0};
  place.bytes = bytes_of(place);
  if (place.bytes > 0) place.offset = static_cast<std::int64_t>(H5Dget_offset(dataset));
  return place;
}

bool has_dataset(const File& file, const std::string& name) {
  silence();
  return H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

ContiguousDataset find_dataset(const File& file, const std::string& name) {
  silence();
  const std::string where = where_of(file, name);
  const Dataset dataset = open_dataset(file, name);
  ContiguousDataset place{number_of(dataset, where), shape_of(dataset, where), 0, 0};
  place.bytes = bytes_of(place);
  // Only a dataset that is contiguous in this file has an address; the layout, which is slow to
  // get, says why another has none.
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF && !is_contiguous(dataset, where)) {
    throw Error(
        {.where = where, .what = "is chunked, compact or external, must be a contiguous dataset"});
  }
  if (place.bytes == 0) return place;
  hsize_t file_size = 0;
  require(H5Fget_filesize(file, &file_size), where, "the file's size cannot be read");
  if (place.bytes < 0 || offset == HADDR_UNDEF || offset > file_size ||
      static_cast<hsize_t>(place.bytes) > file_size - offset) {
    throw Error({.where = where,
                 .what = to_string(place.number) + " " + to_string(place.shape) +
                         " reaches past the end of the file (" + std::to_string(file_size) +
                         " bytes)",
                 .fix = "restore or rebuild this file"});
  }
  place.offset = static_cast<std::int64_t>(offset);
  return place;
}

void write_elements(const File& file, const std::string& name, Number number, const void* elements,
                    std::int64_t n) {
  create_dataset(file, name, number, {n});
  if (n == 0) return;
  const Dataset dataset = open_dataset(file, name);
  ask_to_change("write", path_of(file));
  require(H5Dwrite(dataset, type_of(number), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements),
          where_of(file, name), "cannot be written");
}

void read_elements(const File& file, const std::string& name, Number number, void* elements,
                   std::int64_t n) {
  const ContiguousDataset place = find_column(file, name, number);
  if (place.shape.front() != n) {
    throw Error({.where = where_of(file, name),
                 .what = "has " + std::to_string(place.shape.front()) + " elements, must be " +
                         std::to_string(n)});
  }
  if (n == 0) return;
  const Dataset dataset = open_dataset(file, name);
  require(H5Dread(dataset, type_of(number), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements),
          where_of(file, name), "cannot be read");
}

template <class T>
std::vector<T> read_column(const File& file, const std::string& name) {
  std::vector<T> column(
      static_cast<std::size_t>(find_column(file, name, kNumberOf<T>).shape.front()));
  read_elements(file, name, kNumberOf<T>, column.data(), static_cast<std::int64_t>(column.size()));
  return column;
}
template std::vector<std::uint8_t> read_column(const File&, const std::string&);
template std::vector<std::uint16_t> read_column(const File&, const std::string&);
template std::vector<std::int32_t> read_column(const File&, const std::string&);
template std::vector<std::int64_t> read_column(const File&, const std::string&);
template std::vector<std::uint64_t> read_column(const File&, const std::string&);
template std::vector<float> read_column(const File&, const std::string&);
template std::vector<double> read_column(const File&, const std::string&);

}  // namespace letterpress::hdf5
