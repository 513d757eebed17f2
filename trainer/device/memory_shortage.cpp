#include "trainer/device/memory_shortage.h"

#include <c10/util/Exception.h>

#include <array>
#include <new>
#include <string_view>

namespace letterpress {
namespace {

/// The text between `begin` and `end`; nothing when one of them is missing.
std::optional<std::string> between(const std::string& text, std::string_view begin,
                                   std::string_view end) {
  const std::size_t found = text.find(begin);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t first = found + begin.size(), last = text.find(end, first);
  if (last == std::string::npos) return std::nullopt;
  return text.substr(first, last - first);
}

}  // namespace

// PyTorch's CPU allocator and CUDA's libraries have no exception type for it.
std::optional<std::string> memory_shortage(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure)) return "more was needed";
  const auto* error = dynamic_cast<const c10::Error*>(&failure);
  const std::string text = error ? error->what_without_backtrace() : failure.what();
  if (const auto bytes = between(
          text, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", " bytes")) {
    return *bytes + " bytes more were needed";
  }
  if (const auto size = between(text, "Tried to allocate ", ". ")) {
    const auto device = between(text, ". GPU ", " is free");
    return *size + " more were needed" + (device ? ", GPU " + *device + " is free" : "");
  }
  // PyTorch tries cuDNN's engines one by one, and says that there is none when no workspace could
  // be allocated (aten/src/ATen/native/cudnn/Conv_v8.cpp, Conv_v7.cpp).
  for (const std::string_view none : {"unable to find an engine to execute this computation",
                                      "Unable to find a valid cuDNN algorithm to run convolution"})
    if (text.find(none) != std::string::npos)
      return "cuDNN found no kernel for a convolution: no workspace fits, or the device does not "
             "compute in this --precision (all do in fp32)";
  // cuDNN 9 says CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, or HOST (its API reference,
  // cudnnStatus_t); before it was CUDNN_STATUS_ALLOC_FAILED.
  constexpr std::array kOthers{"out of memory", "can't allocate memory", "_ALLOC_FAILED",
                               "_ALLOCATION_FAILED"};
  for (const std::string_view other : kOthers) {
    if (text.find(other) != std::string::npos) return "more was needed";
  }
  return std::nullopt;
}

}  // namespace letterpress
