#include "letterpress/hdf5/handle.h"

#include <cerrno>
#include <charconv>

namespace letterpress::hdf5 {
namespace {

// HDF5 tells a refused system call in its text only: "... errno = 28, error message = ...". 0:
// there was none.
int error_number_in(const std::string& message) {
  constexpr std::string_view kBefore = "errno = ";
  const std::size_t at = message.find(kBefore);
  int error_number = 0;
  if (at != std::string::npos)
    std::from_chars(message.data() + at + kBefore.size(), message.data() + message.size(),
                    error_number);
  return error_number;
}

}  // namespace

void fail(const std::string& failure, Exit exit) {
  const std::string message = last_error();
  if (const int error_number = error_number_in(message)) {
    const bool is_the_file =
        error_number == ENOENT || error_number == EISDIR || error_number == EINVAL;
    throw Error(system_error(failure, "HDF5", error_number).what(), is_the_file ? exit : Exit::io);
  }
  const bool says_what_to_do = failure.find(';') != std::string::npos;
  const std::string fix =
      exit == Exit::io
          ? "; is the disk full or failing? see the system's log (dmesg), then run again"
          : "; restore or rebuild this file";
  throw Error(failure + " (HDF5: " + message + ")" + (says_what_to_do ? "" : fix), exit);
}

void silence() {
  // The setting is one per thread in a thread-safe HDF5.
  thread_local const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(silenced);
}

std::string last_error() {
  std::string message;
  const auto keep_first = [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
    auto& kept = *static_cast<std::string*>(text);
    if (kept.empty() && error->desc) kept = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &message);
  H5Eclear2(H5E_DEFAULT);
  return message.empty() ? "no message" : message;
}

}  // namespace letterpress::hdf5
