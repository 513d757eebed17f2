#include <vector>

#include "preprocess/augment/colour_kernels.h"
#include "tests/bench/registry.h"

namespace letterpress {
namespace {

class ShiftHsv final : public Benchmark {
 public:
  explicit ShiftHsv(const BenchmarkSetting& setting)
      : pixels_(static_cast<std::size_t>(setting.side) * static_cast<std::size_t>(setting.side)),
        rows_(setting.rows) {}
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return static_cast<std::int64_t>(3 * pixels_); }
  void run(std::int64_t) override {
    thread_local std::vector<std::uint8_t> image;
    if (image.size() != 3 * pixels_) {
      image.resize(3 * pixels_);
      for (std::size_t i = 0; i < image.size(); ++i)
        image[i] = static_cast<std::uint8_t>(i * 2654435761U >> 24);
    }
    colour_kernels().shift_hsv(image.data(), pixels_, 0.05f, 1.2f, 0.9f);
    keep(image.data());
  }

 private:
  std::size_t pixels_;
  std::int64_t rows_;
};

}  // namespace

constinit const BenchmarkEntry kColour{
    "colour", "hue, saturation and value of one row changed in place",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<ShiftHsv>(setting);
    }};

}  // namespace letterpress
