#include "trainer/device/memory_meter.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("memory that tensors take and free is counted to the byte, and its peak too") {
  torch::Tensor before = torch::zeros({1000});
  MemoryMeter meter(torch::kCPU);
  CHECK(meter.now() == 0);
  torch::Tensor kept = torch::zeros({256, 4});
  CHECK(meter.now() == 4096);
  { const torch::Tensor passing = torch::zeros({2048}, torch::kDouble); }
  CHECK(meter.now() == 4096);
  CHECK(meter.peak() == 4096 + 16384);
  before = torch::Tensor();  // was there before
  CHECK(meter.now() == 4096);
  meter.reset_peak();
  CHECK(meter.peak() == 4096);
  kept = torch::Tensor();
  CHECK(meter.now() == 0);
}

TEST_CASE("memory of backward counts too, and nothing counts after the meter") {
  const torch::Tensor weight = torch::ones({1024}).requires_grad_();
  {
    MemoryMeter meter(torch::kCPU);
    const torch::Tensor sum = weight.square().sum();
    CHECK(meter.peak() >= 4096);  // the squares
    sum.backward();
    CHECK(weight.grad().nbytes() == 4096);
    CHECK(meter.now() >= 4096);
    CHECK(meter.peak() >= 2 * 4096);  // what flows back, before the gradient is made of it
  }
  const torch::Tensor after = torch::ones({8});
  MemoryMeter other(torch::kCPU);
  CHECK(other.peak() == 0);
}
