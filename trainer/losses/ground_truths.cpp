#include "trainer/losses/ground_truths.h"

#include "letterpress/base/box.h"

namespace letterpress {

GroundTruths ground_truths_of(const Batch& batch) {
  GroundTruths ground_truths;
  ground_truths.boxes = batch.boxes.narrow(2, 0, 4);
  ground_truths.classes = batch.boxes.select(2, 4).to(torch::kLong);
  const torch::Tensor crowd = batch.flags.bitwise_and(static_cast<int>(kCrowd)).ne(0);
  const torch::Tensor size =
      ground_truths.boxes.narrow(2, 2, 2) - ground_truths.boxes.narrow(2, 0, 2);
  const torch::Tensor used = (ground_truths.classes >= 0).logical_and_(size.gt(0).all(2));
  ground_truths.objects = used.logical_and(crowd.logical_not());
  ground_truths.crowds = used.logical_and(crowd);
  return ground_truths;
}

torch::Tensor inside(const torch::Tensor& points, const torch::Tensor& regions) {
  const torch::Tensor x = points.select(1, 0).view({1, -1, 1}),
                      y = points.select(1, 1).view({1, -1, 1});
  const auto edge = [&](std::int64_t i) { return regions.select(2, i).unsqueeze(1); };
  return (x >= edge(0))
      .logical_and_(x < edge(2))
      .logical_and_(y >= edge(1))
      .logical_and_(y < edge(3));
}

}  // namespace letterpress
