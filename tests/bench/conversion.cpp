#include <algorithm>
#include <cstdlib>

#include "tests/bench/registry.h"
#include "trainer/loader/pixels/pixel_kernels.h"

namespace letterpress {
namespace {

// Converts rows in memory into a ring of three batches of 32, as the loader's readers do.
class Convert final : public Benchmark {
 public:
  explicit Convert(const BenchmarkSetting& setting)
      : row_bytes_(std::int64_t{3} * setting.side * setting.side),
        rows_(setting.rows),
        source_(static_cast<std::size_t>(rows_ * row_bytes_), 77),
        target_(static_cast<float*>(
                    std::aligned_alloc(4096, static_cast<std::size_t>(kSlots * row_bytes_ * 4))),
                std::free) {
    std::fill_n(target_.get(), kSlots * row_bytes_, 0.0F);
  }
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return 5 * row_bytes_; }
  void run(std::int64_t item) override {
    constexpr std::int64_t kStride = 7919;  // a prime: far from memory order
    const std::uint8_t* const row = source_.data() + item * kStride % rows_ * row_bytes_;
    float* const out = target_.get() + item % kSlots * row_bytes_;
    pixel_kernels().to_float32(row, static_cast<std::size_t>(row_bytes_), out);
    keep(out);
  }

 private:
  static constexpr std::int64_t kSlots = 96;
  std::int64_t row_bytes_, rows_;
  std::vector<std::uint8_t> source_;
  std::unique_ptr<float, void (*)(void*)> target_;
};

}  // namespace

constinit const BenchmarkEntry kConversion{
    "conversion",
    "converts the bytes of one row to float32 0..1, from memory to memory past the caches",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<Convert>(setting);
    }};

}  // namespace letterpress
