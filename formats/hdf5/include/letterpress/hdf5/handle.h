#pragma once
#include <hdf5.h>

#include <string>
#include <utility>

#include "letterpress/base/error.h"

namespace letterpress::hdf5 {

/// HDF5's innermost message of the last failed call in this thread; "no message" when there is
/// none. Forgets it.
std::string last_error();

/// Throws Error for a failed call: HDF5's innermost message is added to failure.what, and a fix
/// where `failure` has none. When the system refused a call, its reason replaces HDF5's message,
/// and the exit is io unless the file itself is at fault.
[[noreturn]] void fail(const Message& failure, Exit exit);

/// Stops HDF5 from printing this thread's errors to stderr: the messages are in Error. Every
/// function of hdf5.h calls it first.
void silence();

/// Several threads create shards at once, so a library that does not support that is refused: Error
/// (configuration) unless `thread_safe`.
void check_thread_safety(bool thread_safe);

/// Owner of one HDF5 identifier. Construction from a failed call is fail(failure, exit).
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, const Message& failure, Exit exit = Exit::data) : id_(id) {
    if (id < 0) fail(failure, exit);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept { return std::swap(id_, other.id_), *this; }
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  operator hid_t() const noexcept { return id_; }
  /// Negative when that fails; the identifier is gone either way.
  herr_t close() { return Close(std::exchange(id_, H5I_INVALID_HID)); }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using PropertyList = Handle<H5Pclose>;

}  // namespace letterpress::hdf5
