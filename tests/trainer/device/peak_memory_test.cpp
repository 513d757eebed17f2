#include "trainer/device/peak_memory.h"

#include <doctest/doctest.h>

#include <fstream>

using namespace letterpress;

namespace {

// What the kernel says of this process, kB.
std::int64_t status_kib(const std::string& wanted) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name; status.ignore(256, '\n')) {
    std::int64_t kib = 0;
    if (name == wanted + ":" && status >> kib) return kib;
  }
  return -1;
}

}  // namespace

TEST_CASE("peak memory stays after memory is freed, and is what the kernel says") {
  const std::int64_t before = peak_memory(torch::kCPU);
  {
    const torch::Tensor passing = torch::ones({(before >> 2) + (std::int64_t{64} << 18)});
  }  // 64 MiB more than all so far, touched
  const std::int64_t after = peak_memory(torch::kCPU);
  CHECK(after > before + (std::int64_t{32} << 20));
  CHECK(static_cast<double>(after) ==
        doctest::Approx(1024.0 * static_cast<double>(status_kib("VmHWM"))).epsilon(0.02));
}
