#include "trainer/device/peak_memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <sys/resource.h>

namespace letterpress {

std::int64_t peak_memory(torch::Device device) {
  if (device.is_cpu()) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024 * std::int64_t{usage.ru_maxrss};
  }
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return c10::getDeviceAllocator(device.type())
      ->getDeviceStats(device.index())
      .reserved_bytes[kAll]
      .peak;
}

std::int64_t device_memory(torch::Device device) {
  return static_cast<std::int64_t>(
      c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).second);
}

}  // namespace letterpress
