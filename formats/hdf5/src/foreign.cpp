#include "letterpress/hdf5/foreign.h"

#include <algorithm>

#include "types.h"

namespace letterpress::hdf5 {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1}
                                      << 28;  // more is a damaged size, not a list of names

// A read that fails is the file's fault here, not the disk's.
void check_read(herr_t status, const std::string& where) {
  if (status < 0)
    throw Error({.where = where,
                 .what = "cannot be read (HDF5: " + last_error() + ")",
                 .fix = "the file is damaged"});
}

std::string attribute_of(const File& file, const std::string& object, const std::string& name) {
  return where_of(file, object) + ": attribute '" + name + "'";
}

std::vector<std::string> read_variable(const Attribute& attribute, const Type& type,
                                       const Space& space, const std::string& where) {
  const auto n = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  if (n > kMostMembers)
    throw Error({.where = where,
                 .what = "claims to hold " + std::to_string(n) + " strings",
                 .fix = "the file is damaged"});
  std::vector<char*> pointers(n);
  const Type memory(H5Tcopy(H5T_C_S1), {where, "its type cannot be made"});
  require(H5Tset_size(memory, H5T_VARIABLE), where, "its length cannot be set");
  require(H5Tset_cset(memory, H5Tget_cset(type)), where, "its character set cannot be set");
  check_read(H5Aread(attribute, memory, pointers.data()), where);
  std::vector<std::string> texts;
  for (const char* text : pointers) texts.emplace_back(text ? text : "");
  require(H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data()), where, "cannot be freed");
  return texts;
}

std::vector<std::string> read_fixed(const Attribute& attribute, const Type& type,
                                    const Space& space, const std::string& where) {
  const auto n = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || n > kMaxTextBytes / size)
    throw Error({.where = where,
                 .what = "claims to hold " + std::to_string(n) + " strings of " +
                         std::to_string(size) + " bytes",
                 .fix = "the file is damaged"});
  std::string bytes(n * size, '\0');
  check_read(H5Aread(attribute, type, bytes.data()), where);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string text = bytes.substr(i * size, size);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

// By soft and external links, and by datasets that are kept in other files, a file would have HDF5
// open whatever they name.
[[noreturn]] void refuse_elsewhere(const std::string& where) {
  throw Error({.where = where,
               .what = "is a link to another place, must be in this file itself",
               .fix = "save the model again, into one file"});
}

// Every name on the way to an object.
void check_links(const File& file, const std::string& object) {
  for (std::size_t end = 0; end != std::string::npos && end < object.size();) {
    end = object.find('/', end + 1);
    const std::string name = object.substr(0, end);
    H5L_info_t link{};
    if (H5Lget_info(file, name.c_str(), &link, H5P_DEFAULT) < 0) return;  // is not there
    if (link.type != H5L_TYPE_HARD) refuse_elsewhere(where_of(file, name));
  }
}

Dataset open_floats(const File& file, const std::string& name, const std::string& where) {
  silence();
  check_links(file, name);
  Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), {where, "is missing or unreadable"});
  const PropertyList list(H5Dget_create_plist(dataset), {where, "its layout cannot be read"});
  if (H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) > 0)
    refuse_elsewhere(where);
  return dataset;
}

void check_size(const Floats& floats, std::int64_t most_bytes, const std::string& where) {
  std::int64_t bytes = sizeof(float);
  bool fits = true;
  for (const std::int64_t size : floats.shape)
    fits = fits && !__builtin_mul_overflow(bytes, size, &bytes);
  if (fits && bytes <= most_bytes) return;
  throw Error({.where = where,
               .what = "claims to be " + to_string(floats.shape) +
                       ", more than a file of its size can hold",
               .fix = "the file is damaged"});
}

}  // namespace

File open_foreign(std::string_view bytes, const std::string& name) {
  check_global_heaps(bytes, name);
  start_library();
  silence();
  PropertyList list(H5Pcreate(H5P_FILE_ACCESS), {name, "file access properties cannot be made"});
  require(H5Pset_fapl_core(list, std::size_t{1} << 16, false), name, "cannot be kept in memory");
  // HDF5 copies the bytes.
  require(H5Pset_file_image(list, const_cast<char*>(bytes.data()), bytes.size()), name,
          "cannot be kept in memory");
  return File(H5Fopen((name + std::string(kOfBytes)).c_str(), H5F_ACC_RDONLY, list),
              {name, "not a readable HDF5 file", "it was cut or damaged, copy it again"});
}

std::vector<std::string> members_of(const File& file, const std::string& name) {
  silence();
  std::vector<std::string> names;
  check_links(file, name);
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0 && name != "/") return names;
  const std::string where = where_of(file, name);
  const Handle<H5Oclose> object(H5Oopen(file, name.c_str(), H5P_DEFAULT), {where, "is unreadable"});
  if (H5Iget_type(object) != H5I_GROUP) return names;
  H5G_info_t info{};
  check_read(H5Gget_info(object, &info), where);
  if (info.nlinks > kMostMembers)
    throw Error({.where = where,
                 .what = "claims to have " + std::to_string(info.nlinks) + " members",
                 .fix = "the file is damaged"});
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto text_at = [&](char* text, std::size_t size) {
      const ssize_t length =
          H5Lget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, text, size, H5P_DEFAULT);
      check_read(length < 0 ? -1 : 0, where);
      return static_cast<std::size_t>(length);
    };
    std::string member(text_at(nullptr, 0) + 1, '\0');
    text_at(member.data(), member.size());
    member.pop_back();
    names.push_back(std::move(member));
  }
  return names;
}

bool has_attribute(const File& file, const std::string& object, const std::string& name) {
  silence();
  check_links(file, object);
  return H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> read_texts_attribute(const File& file, const std::string& object,
                                              const std::string& name) {
  silence();
  const std::string where = attribute_of(file, object, name);
  check_links(file, object);
  const Attribute attribute(
      H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      {where, "is missing or unreadable"});
  const Space space(H5Aget_space(attribute), {where, "its shape cannot be read"});
  const Type type(H5Aget_type(attribute), {where, "its type cannot be read"});
  // An empty list of names is written as an array of no numbers.
  if (H5Sget_simple_extent_npoints(space) == 0) return {};
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_ndims(space) > 1)
    throw Error({.where = where, .what = "is not a list of strings"});
  return H5Tis_variable_str(type) > 0 ? read_variable(attribute, type, space, where)
                                      : read_fixed(attribute, type, space, where);
}

bool holds_floats(const File& file, const std::string& name) {
  const std::string where = where_of(file, name);
  const Dataset dataset = open_floats(file, name, where);
  const Type type(H5Dget_type(dataset), {where, "its type cannot be read"});
  return H5Tget_class(type) == H5T_FLOAT;
}

Floats read_floats(const File& file, const std::string& name, std::int64_t most_bytes) {
  const std::string where = where_of(file, name);
  const Dataset dataset = open_floats(file, name, where);
  const Type type(H5Dget_type(dataset), {where, "its type cannot be read"});
  if (H5Tget_class(type) != H5T_FLOAT)
    throw Error({.where = where, .what = "does not hold floating-point numbers"});
  Floats floats{shape_of(dataset, where), {}};
  check_size(floats, most_bytes, where);
  std::int64_t count = 1;
  for (const std::int64_t size : floats.shape) count *= size;
  floats.values.resize(static_cast<std::size_t>(count));
  if (count > 0)
    check_read(
        H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, floats.values.data()),
        where);
  return floats;
}

}  // namespace letterpress::hdf5
