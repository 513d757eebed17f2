#include "trainer/augment/draws.h"

#include "letterpress/base/hash.h"

namespace letterpress {

torch::Tensor draw(const char* operation, const Batch& batch, const BatchPosition& position,
                   int n) {
  const torch::Device device = batch.images.device();
  const std::int64_t rows = batch.images.size(0);
  // Page-locked, so that the copy is asynchronous; its allocator keeps it until the copy is done.
  torch::Tensor numbers =
      torch::empty({rows, n}, torch::TensorOptions(torch::kFloat).pinned_memory(device.is_cuda()));
  float* next = numbers.data_ptr<float>();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (int i = 0; i < n; ++i) {
      const std::uint64_t bits = Hasher()
                                     .add(operation)
                                     .add_value(position.seed)
                                     .add_value(position.step)
                                     .add_value(position.first + row)
                                     .add_value(i)
                                     .digest64();
      *next++ = static_cast<float>(bits >> 40) * 0x1p-24f;
    }
  }
  return numbers.to(device, /*non_blocking=*/true);
}

torch::Tensor choose(const torch::Tensor& numbers, const BatchPosition& position, double chance) {
  const torch::Tensor row = torch::arange(numbers.size(0), numbers.options().dtype(torch::kLong));
  return (numbers < chance).logical_and_(row < position.augmented);
}

namespace {

// Whole numbers below n. In float32 a product just under n may round up to it.
torch::Tensor below(const torch::Tensor& numbers, std::int64_t n) {
  return (numbers * static_cast<double>(n)).to(torch::kLong).clamp_max_(n - 1);
}

// The row that lies so many behind each, the first ones following the last.
torch::Tensor behind(const torch::Tensor& further) {
  const std::int64_t rows = further.size(0);
  return (torch::arange(rows, further.options()) + further + 1).remainder(rows);
}

}  // namespace

torch::Tensor choose_others(const torch::Tensor& numbers) {
  return behind(below(numbers, numbers.size(0) - 1));
}

std::array<torch::Tensor, 3> choose_three_others(const torch::Tensor& numbers) {
  const std::int64_t others = numbers.size(0) - 1;
  const auto after = [](const torch::Tensor& at, const torch::Tensor& taken) {
    return at + (at >= taken).to(torch::kLong);
  };
  // Each of those that are left, counted past those that are taken, the lower one first.
  const torch::Tensor a = below(numbers.select(1, 0), others);
  const torch::Tensor b = after(below(numbers.select(1, 1), others - 1), a);
  const torch::Tensor c = after(
      after(below(numbers.select(1, 2), others - 2), torch::minimum(a, b)), torch::maximum(a, b));
  return {behind(a), behind(b), behind(c)};
}

}  // namespace letterpress
