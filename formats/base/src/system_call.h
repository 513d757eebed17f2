#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"

namespace letterpress {

// Runs a system call unless a test makes it fail; retries EINTR. Returns the call's result, or -1
// with errno set. Every system call of file.h that is named in fault_hook.h goes through here.
template <class Call>
auto attempt(const char* operation, const std::filesystem::path& path, Call call)
    -> decltype(call()) {
  if (const int fault = injected_fault(operation, path.native())) {
    errno = fault;
    return -1;
  }
  decltype(call()) result;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

// Throws system_error() for errno.
[[noreturn]] inline void fail(const std::filesystem::path& path, const std::string& what) {
  throw system_error(path.string(), what, errno);
}

// A descriptor, or Error: no_input where there is no such file. what: "cannot be opened".
int open_or_fail(const std::filesystem::path& path, int flags, const char* what);

// An open file: `path` is its own name, `name` the one that messages give it.
struct OpenFile {
  int descriptor;
  const std::filesystem::path& path;
  const std::filesystem::path& name;
};
// All of the bytes, or Error.
void write_to(const OpenFile& file, std::int64_t offset, std::span<const std::byte> bytes);
void sync(const OpenFile& file);

}  // namespace letterpress
