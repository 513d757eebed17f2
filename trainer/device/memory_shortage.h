#pragma once
#include <exception>
#include <optional>
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {

/// What was requested when memory ran out on a device or on the host, if `failure` says that it
/// did: "2.0 GiB more were needed, GPU 0 has a total capacity of 79.25 GiB of which 1.10 GiB is
/// free", or only "more was needed" when the failure does not tell. Counts cuDNN finding no
/// kernel, too: it says the same when no workspace could be allocated. Nothing for any other
/// failure.
std::optional<std::string> memory_shortage(const std::exception& failure);

/// Returns what `work` returns. When memory runs out in it, throws Error (io): "out of memory: 2.0
/// GiB more were needed; <fix>".
template <class Work>
auto explaining_shortage(const std::string& fix, Work&& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    const std::optional<std::string> shortage = memory_shortage(failure);
    if (!shortage) throw;
    throw Error({.where = "out of memory", .what = *shortage, .fix = fix}, Exit::io);
  }
}

}  // namespace letterpress
