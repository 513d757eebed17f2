#include <ATen/Parallel.h>

#include "tests/bench/drawn_boxes.h"
#include "tests/bench/registry.h"
#include "trainer/detection/decode.h"

namespace letterpress {
namespace {

// Boxes as a network with one box per cell finds them in a picture with a hundred objects: 84
// around each object, slightly off, in one of eighty classes.
class Suppress final : public Benchmark {
 public:
  explicit Suppress(const BenchmarkSetting& setting) : rows_(setting.rows) {
    at::set_num_threads(1);  // --threads says how many run at once
    const torch::Tensor around =
        drawn_boxes(1, kObjects, setting.side).repeat_interleave(kPerObject, 1);
    const torch::Tensor off = torch::arange(kObjects * kPerObject * 4, torch::kFloat)
                                  .mul(0.7548777F)
                                  .frac()
                                  .view_as(around) -
                              0.5;
    found_.boxes =
        around + off * (around.narrow(2, 2, 2) - around.narrow(2, 0, 2)).repeat({1, 1, 2}) * 0.3;
    const torch::Tensor row = torch::arange(kObjects * kPerObject);
    const torch::Tensor object = row.floor_divide(kPerObject).remainder(kClasses).unsqueeze(1);
    const torch::Tensor score = row.to(torch::kFloat).mul(0.5698403F).frac().unsqueeze(1);
    found_.scores =
        torch::zeros({kObjects * kPerObject, kClasses}).scatter(1, object, score).unsqueeze(0);
  }
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return 0; }
  void run(std::int64_t) override {
    const auto kept = suppress(found_, {});
    keep(kept.data());
  }

 private:
  static constexpr std::int64_t kObjects = 100, kPerObject = 84, kClasses = 80;
  std::int64_t rows_;
  Candidates found_;
};

}  // namespace

constinit const BenchmarkEntry kSuppression{
    "suppression", "non-maximum suppression of one picture: 8,400 boxes of 80 classes",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<Suppress>(setting);
    }};

}  // namespace letterpress
