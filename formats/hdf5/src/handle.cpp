#include "letterpress/hdf5/handle.h"

#include <cerrno>
#include <charconv>

namespace letterpress::hdf5 {
namespace {

// HDF5 reports a refused system call in its text only: "... errno = 28, error message = ...". 0: no
// system call was refused.
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

void fail(const Message& failure, Exit exit) {
  const std::string message = last_error();
  if (const int error_number = error_number_in(message)) {
    const bool is_the_file =
        error_number == ENOENT || error_number == EISDIR || error_number == EINVAL;
    Message refusal = system_error(failure.where, failure.what + ": HDF5", error_number).message();
    if (refusal.fix.empty()) refusal.fix = failure.fix;
    throw Error(refusal, is_the_file ? exit : Exit::io);
  }
  const std::string fix =
      exit == Exit::io ? "is the disk full or failing? see the system's log (dmesg), then run again"
                       : "restore or rebuild this file";
  throw Error({.where = failure.where,
               .what = failure.what + " (HDF5: " + message + ")",
               .fix = failure.fix.empty() ? fix : failure.fix},
              exit);
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
