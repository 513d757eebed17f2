#include <bit>

#include "letterpress/base/fault_hook.h"
#include "letterpress/base/own_file.h"
#include "letterpress/hdf5/hdf5.h"
#include "types.h"

namespace letterpress::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tables are read and written as they are in memory");

constexpr hsize_t kAlignment = 4096;  // bytes: a page, and the block of any file system in use
constexpr unsigned kCompactLinks = 128;

PropertyList access(const std::string& where) {
  PropertyList list(H5Pcreate(H5P_FILE_ACCESS), {where, "file access properties cannot be made"});
  require(H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18), where,
          "version bounds cannot be set");
  require(H5Pset_alignment(list, kAlignment, kAlignment), where, "alignment cannot be set");
  // Small datasets would wait in a buffer until they are closed, where nobody hears of a failed
  // write: the file would be published without them.
  require(H5Pset_sieve_buf_size(list, 0), where,
          "the buffer of small datasets cannot be switched off");
  // A file is private until it has its name, and immutable from then on; and network file systems
  // without flock stay usable.
  require(H5Pset_file_locking(list, false, true), where, "file locking cannot be set");
  return list;
}

PropertyList creation(const std::string& where) {
  PropertyList list(H5Pcreate(H5P_FILE_CREATE), {where, "file creation properties cannot be made"});
  require(H5Pset_obj_track_times(list, false), where, "times cannot be switched off");
  // All names and attributes in the root's own header: fewer structures for other readers to get
  // right.
  require(H5Pset_link_phase_change(list, kCompactLinks, kCompactLinks / 2), where,
          "link storage cannot be set");
  require(H5Pset_attr_phase_change(list, kCompactLinks, kCompactLinks / 2), where,
          "attribute storage cannot be set");
  return list;
}

// By soft and external links a file would have HDF5 open whatever they name.
herr_t refuse_link(hid_t, const char* name, const H5L_info_t* link, void* refused) {
  if (link->type == H5L_TYPE_HARD) return 0;
  *static_cast<std::string*>(refused) = name;
  return 1;
}

// Of the root's members: files of ours have no groups.
void check_members(const File& file) {
  std::string refused;
  if (H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, refuse_link, &refused) < 0)
    fail({.where = path_of(file), .what = "its names cannot be listed"}, Exit::data);
  if (refused.empty()) return;
  throw Error({.where = where_of(file, refused),
               .what = "is a link to another place, must be in this file itself",
               .fix = "it was not written by Letterpress; restore or rebuild this file"});
}

// Bytes behind the end that HDF5 knows would be read by whoever hashes the file: a terabyte of them
// costs no disk.
void check_end(const File& file) {
  hsize_t bytes = 0;
  haddr_t end = 0;
  if (H5Fget_filesize(file, &bytes) < 0 || H5Fget_eoa(file, &end) < 0)
    fail({.where = path_of(file), .what = "its size cannot be read"}, Exit::data);
  if (bytes == end) return;
  throw Error({.where = path_of(file),
               .what = "has " + std::to_string(bytes) + " bytes, its content ends at " +
                       std::to_string(end),
               .fix = "restore or rebuild this file"});
}

}  // namespace

void check_thread_safety(bool thread_safe) {
  if (thread_safe) return;
  throw Error(Message{.what = "the HDF5 library of this machine was built without thread safety",
                      .fix = "install one that has it (Debian's libhdf5 does), or build it with "
                             "-DHDF5_ENABLE_THREADSAFE=ON"},
              Exit::configuration);
}

void start_library() {
  static const bool started = [] {
    // At exit it would flush again a file that its disk has refused already, and crash on what it
    // has freed since.
    H5dont_atexit();
    hbool_t thread_safe = false;
    H5is_library_threadsafe(&thread_safe);
    check_thread_safety(thread_safe);
    H5open();
    return true;
  }();
  static_cast<void>(started);
}

void require(herr_t status, const std::string& where, const std::string& what) {
  if (status < 0) fail({.where = where, .what = what}, Exit::io);
}

void ask_to_change(const char* operation, const std::string& path) {
  if (const int fault = injected_fault(operation, path))
    throw system_error(path, "cannot be written", fault);
}

std::string path_of(const File& file) {
  // A message names the file after a call has failed: what HDF5 says of that call stays.
  const hid_t failures = H5Eget_current_stack();
  const ssize_t length = H5Fget_name(file, nullptr, 0);
  std::string path(static_cast<std::size_t>(length < 0 ? 0 : length) + 1, '\0');
  if (length > 0) H5Fget_name(file, path.data(), path.size());
  if (failures >= 0) H5Eset_current_stack(failures);
  path.pop_back();
  if (path.ends_with(kOfBytes)) path.erase(path.size() - kOfBytes.size());
  return path;
}

std::string where_of(const File& file, const std::string& name) {
  return path_of(file) + ": " + (name.starts_with('/') ? name : "/" + name);
}

File create_file(const std::filesystem::path& path) {
  start_library();
  silence();
  const std::string& where = path.native();
  ask_to_change("open", where);
  return File(H5Fcreate(where.c_str(), H5F_ACC_TRUNC, creation(where), access(where)),
              {where, "cannot be created as an HDF5 file"}, Exit::io);
}

File open_file(const std::filesystem::path& path, const std::string& failure,
               const std::string& fix) {
  check_own_file(path);
  start_library();
  silence();
  const std::string& where = path.native();
  File file(H5Fopen(where.c_str(), H5F_ACC_RDONLY, access(where)), {where, failure, fix});
  check_members(file);
  check_end(file);
  return file;
}

void close_file(File file) {
  silence();
  const std::string where = path_of(file);
  ask_to_change("write", where);
  require(H5Fflush(file, H5F_SCOPE_GLOBAL), where, "cannot be written");
  // Its last write says that nobody has the file open any more.
  require(file.close(), where, "cannot be written");
}

}  // namespace letterpress::hdf5
