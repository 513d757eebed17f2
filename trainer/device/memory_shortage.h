#pragma once
#include <exception>
#include <optional>
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {

/// What was wanted when memory ran out, if `failure` says that it did, on a device or on the host:
/// "2.0 GiB more were wanted, GPU 0 has a total capacity of 79.25 GiB of which 1.10 GiB is free",
/// or only "more was wanted" where the failure does not tell. Nothing for any other failure.
std::optional<std::string> memory_shortage(const std::exception& failure);

/// Answers what `work` does. Memory that runs out in it is an Error (io): "out of memory: 2.0 GiB
/// more were wanted; <remedy>".
template <class Work>
auto explaining_shortage(const std::string& remedy, Work&& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    const std::optional<std::string> shortage = memory_shortage(failure);
    if (!shortage) throw;
    throw Error("out of memory: " + *shortage + "; " + remedy, Exit::io);
  }
}

}  // namespace letterpress
