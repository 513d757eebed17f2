#include "trainer/losses/assignment.h"

#include <ATen/Parallel.h>

#include <array>

#include "tests/bench/drawn_boxes.h"
#include "tests/bench/registry.h"
#include "trainer/detection/cells.h"
#include "trainer/losses/alignment.h"

namespace letterpress {
namespace {

constexpr std::array kStrides{8, 16, 32};
constexpr std::int64_t kPictures = 8, kObjects = 16, kClasses = 80;

GroundTruths drawn_ground_truths(int side) {
  const torch::Tensor each = torch::arange(kPictures * kObjects).view({kPictures, kObjects});
  return {drawn_boxes(kPictures, kObjects, side), each.remainder(kClasses),
          torch::ones({kPictures, kObjects}, torch::kBool),
          torch::zeros({kPictures, kObjects}, torch::kBool)};
}

// Both compute in one thread, so that with --threads N there are N of them at once, and with
// --threads 1 they measure one core.
class Assign : public Benchmark {
 public:
  explicit Assign(const BenchmarkSetting& setting)
      : side_(setting.side),
        rows_(setting.rows),
        ground_truths_(drawn_ground_truths(setting.side)) {
    at::set_num_threads(1);
    for (const int stride : kStrides)
      centres_.push_back(cell_centres(stride, side_ / stride, side_ / stride, torch::kFloat));
  }
  std::int64_t items() const override { return rows_; }
  std::int64_t bytes_per_item() const override { return 0; }

 protected:
  int side_;
  std::int64_t rows_;
  GroundTruths ground_truths_;
  std::vector<torch::Tensor> centres_;  ///< float32 [P, 2] per head
};

class AnchorAssignment final : public Assign {
 public:
  explicit AnchorAssignment(const BenchmarkSetting& setting) : Assign(setting) {
    // YOLOv3's anchors, arXiv:1804.02767, for a frame of 416.
    anchors_ = torch::tensor({10., 13., 16., 30., 33., 23., 30., 61., 62., 45., 59., 119., 116.,
                              90., 156., 198., 373., 326.})
                   .view({9, 2});
    anchors_ = (anchors_ * (side_ / 416.0)).to(torch::kFloat);
    for (std::int64_t head = 0; head < static_cast<std::int64_t>(kStrides.size()); ++head) {
      places_.push_back(torch::full({9}, -1, torch::kLong));
      places_.back().narrow(0, 3 * head, 3).copy_(torch::arange(3));
      found_.push_back(
          drawn_boxes(kPictures, 3 * centres_[static_cast<std::size_t>(head)].size(0), side_));
    }
  }
  void run(std::int64_t) override {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor best =
        best_anchors(ground_truths_, anchors_, torch::ones({9}, torch::kBool));
    for (std::size_t head = 0; head < kStrides.size(); ++head) {
      const std::int64_t cells = side_ / kStrides[head];
      const Assignment made =
          assign(ground_truths_, best, {kStrides[head], cells, cells, places_[head], anchors_, 3});
      const torch::Tensor spared =
          excused(found_[head], centres_[head].repeat_interleave(3, 0), ground_truths_, 0.5);
      keep(made.positive.data_ptr());
      keep(spared.data_ptr());
    }
  }

 private:
  torch::Tensor anchors_;
  std::vector<torch::Tensor> places_, found_;
};

class PointAssignment final : public Assign {
 public:
  explicit PointAssignment(const BenchmarkSetting& setting) : Assign(setting) {
    found_.points = torch::cat(centres_);
    found_.boxes = drawn_boxes(kPictures, found_.points.size(0), side_);
    found_.scores = torch::arange(kPictures * found_.points.size(0) * kClasses, torch::kDouble)
                        .mul(0.5698402909980532)
                        .frac();
    found_.scores =
        found_.scores.to(torch::kFloat).view({kPictures, found_.points.size(0), kClasses});
  }
  void run(std::int64_t) override {
    const torch::NoGradGuard no_gradient;
    const Alignment made = align(ground_truths_, found_);
    keep(made.positive.data_ptr());
  }

 private:
  PointPredictions found_;
};

}  // namespace

constinit const BenchmarkEntry kAnchorAssignment{
    "anchor_assignment",
    "assigns the ground truth of 8 pictures with 16 objects each to the cells and anchors of three "
    "heads",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<AnchorAssignment>(setting);
    }};

constinit const BenchmarkEntry kPointAssignment{
    "point_assignment",
    "assigns the ground truth of 8 pictures with 16 objects of 80 classes each to the points of "
    "three heads, task-aligned",
    [](const BenchmarkSetting& setting) -> std::unique_ptr<Benchmark> {
      return std::make_unique<PointAssignment>(setting);
    }};

}  // namespace letterpress
