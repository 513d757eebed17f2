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

torch::Tensor choose_others(const torch::Tensor& numbers) {
  const std::int64_t rows = numbers.size(0);
  const torch::Tensor row = torch::arange(rows, numbers.options().dtype(torch::kLong));
  // In float32 a product just under rows - 1 may round up to it.
  const torch::Tensor further =
      (numbers * static_cast<double>(rows - 1)).to(torch::kLong).clamp_max_(rows - 2);
  return (row + further + 1).remainder(rows);
}

}  // namespace letterpress
