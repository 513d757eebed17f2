#pragma once
#include <functional>
#include <string_view>

namespace letterpress {

/// Seam for tests: every system call of file.h that reads, changes or makes durable asks `hook`
/// first, and so does each call of formats/hdf5 that creates or writes. `operation` is open, read,
/// write, sync, chmod, link, rename, mkdir, unlink, rmdir, utime, lock or statvfs; `path` is what
/// it is about. A non-zero answer is the errno with which the call fails without being made. Set
/// before threads start; nullptr removes it.
using FaultHook = std::function<int(std::string_view operation, std::string_view path)>;
void set_fault_hook(FaultHook hook);

/// For the implementations of file.h and formats/hdf5: 0, or the errno to fail with.
int injected_fault(std::string_view operation, std::string_view path);

}  // namespace letterpress
