#include "tests/bench/registry.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {
namespace {

class Permute final : public Benchmark {
 public:
  std::int64_t items() const override { return kEpoch / kBlock; }
  std::int64_t bytes_per_item() const override { return 0; }
  void run(std::int64_t item) override {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < kBlock; ++i) sum += stream_.at(item * kBlock + i).sample;
    keep(&sum);
  }

 private:
  static constexpr std::int64_t kEpoch = 1'200'000;  // pictures of a large set
  static constexpr std::int64_t kBlock = 1'000;      // samples of one item
  SampleStream stream_{kEpoch, 1};
};

}  // namespace

constinit const BenchmarkEntry kPermutation{
    "permutation", "1,000 samples of a shuffled epoch of 1.2 million pictures",
    [](const BenchmarkSetting&) -> std::unique_ptr<Benchmark> {
      return std::make_unique<Permute>();
    }};

}  // namespace letterpress
