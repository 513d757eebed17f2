#include <algorithm>

#include "letterpress/hdf5/hdf5.h"
#include "types.h"

namespace letterpress::hdf5 {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 28;  // bytes; more is a damaged size, not a text

std::string attribute_of(const File& file, const std::string& name) {
  return path_of(file) + ": attribute '" + name + "'";
}

Type text_type(std::size_t size, const std::string& where) {
  Type type(H5Tcopy(H5T_C_S1), {where, "its type cannot be made"});
  require(H5Tset_size(type, std::max<std::size_t>(size, 1)), where, "its length cannot be set");
  require(H5Tset_strpad(type, H5T_STR_NULLPAD), where, "its padding cannot be set");
  require(H5Tset_cset(type, H5T_CSET_UTF8), where, "its character set cannot be set");
  return type;
}

void write(const File& file, const std::string& name, hid_t type, const void* value) {
  silence();
  const std::string where = attribute_of(file, name);
  ask_to_change("write", path_of(file));
  const Space space(H5Screate(H5S_SCALAR), {where, "a scalar space cannot be made"});
  const Attribute attribute(H5Acreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                            {where, "cannot be created"}, Exit::io);
  require(H5Awrite(attribute, type, value), where, "cannot be written");
}

Attribute open(const File& file, const std::string& name, const std::string& where) {
  silence();
  Attribute attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT),
                      {where, "is missing or unreadable"});
  const Space space(H5Aget_space(attribute), {where, "its shape cannot be read"});
  if (H5Sget_simple_extent_npoints(space) != 1)
    throw Error({.where = where, .what = "holds several values, must be one"});
  return attribute;
}

}  // namespace

void write_attribute(const File& file, const std::string& name, std::int64_t value) {
  write(file, name, H5T_STD_I64LE, &value);
}

void write_attribute(const File& file, const std::string& name, const std::string& text) {
  silence();
  const Type type = text_type(text.size(), attribute_of(file, name));
  write(file, name, type, text.c_str());
}

std::int64_t read_integer_attribute(const File& file, const std::string& name) {
  const std::string where = attribute_of(file, name);
  const Attribute attribute = open(file, name, where);
  const Type type(H5Aget_type(attribute), {where, "its type cannot be read"});
  if (H5Tget_class(type) != H5T_INTEGER) throw Error({.where = where, .what = "is not an integer"});
  std::int64_t value = 0;
  require(H5Aread(attribute, H5T_NATIVE_INT64, &value), where, "cannot be read");
  return value;
}

std::string read_text_attribute(const File& file, const std::string& name) {
  const std::string where = attribute_of(file, name);
  const Attribute attribute = open(file, name, where);
  const Type type(H5Aget_type(attribute), {where, "its type cannot be read"});
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size > kMaxText) {
    throw Error({.where = where, .what = "is not a string of fixed length"});
  }
  std::string text(size, '\0');
  require(H5Aread(attribute, type, text.data()), where, "cannot be read");
  return text.substr(0, text.find('\0'));
}

}  // namespace letterpress::hdf5
