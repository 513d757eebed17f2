#pragma once
#include <functional>
#include <string_view>

namespace letterpress {

/// For tests: every system call of file.h that reads a file, changes it or makes it durable asks
/// `hook` first, and so does each call of formats/hdf5 that creates or writes. `operation` is open,
/// read, write, sync, chmod, link, rename, mkdir, unlink, rmdir, utime, lock or statvfs; `path` is
/// the file or folder. When it returns an errno, the call fails with that and is not made; 0: the
/// call is made. Set before threads start; nullptr removes it.
using FaultHook = std::function<int(std::string_view operation, std::string_view path)>;
void set_fault_hook(FaultHook hook);

/// What the hook returns, 0 without one. For the implementations of file.h and formats/hdf5.
int injected_fault(std::string_view operation, std::string_view path);

}  // namespace letterpress
