#include "trainer/losses/complete_iou.h"

#include <numbers>

namespace letterpress {
namespace {

constexpr double kEpsilon = 1e-7;  // keeps quotients of empty boxes finite

/// The box as eight values, each without the last dimension: what depends on one box alone is
/// computed before boxes are paired.
struct Box {
  torch::Tensor x1, y1, x2, y2, width{}, height{}, area{}, aspect{};
};

Box box_of(const torch::Tensor& corners) {
  Box box{.x1 = corners.select(-1, 0),
          .y1 = corners.select(-1, 1),
          .x2 = corners.select(-1, 2),
          .y2 = corners.select(-1, 3)};
  box.width = box.x2 - box.x1;
  box.height = box.y2 - box.y1;
  box.area = box.width * box.height;
  box.aspect = (box.width / (box.height + kEpsilon)).atan();
  return box;
}

torch::Tensor weight_of(const torch::Tensor& aspects, const torch::Tensor& iou) {
  const torch::NoGradGuard no_gradient;
  return aspects / (aspects - iou + (1 + kEpsilon));
}

}  // namespace

torch::Tensor complete_iou(const torch::Tensor& a, const torch::Tensor& b) {
  const Box first = box_of(a), second = box_of(b);
  const torch::Tensor common_width =
      (first.x2.minimum(second.x2) - first.x1.maximum(second.x1)).clamp_min(0);
  const torch::Tensor common_height =
      (first.y2.minimum(second.y2) - first.y1.maximum(second.y1)).clamp_min(0);
  const torch::Tensor common = common_width * common_height;
  const torch::Tensor iou = common / (first.area + second.area - common + kEpsilon);

  const torch::Tensor around_width = first.x2.maximum(second.x2) - first.x1.minimum(second.x1);
  const torch::Tensor around_height = first.y2.maximum(second.y2) - first.y1.minimum(second.y1);
  const torch::Tensor diagonal = around_width.square() + around_height.square() + kEpsilon;
  const torch::Tensor x = (first.x1 + first.x2) - (second.x1 + second.x2),
                      y = (first.y1 + first.y2) - (second.y1 + second.y2);
  const torch::Tensor distance = (x.square() + y.square()) / 4;

  const torch::Tensor aspects =
      (first.aspect - second.aspect).square() * (4 / (std::numbers::pi * std::numbers::pi));
  return iou - distance / diagonal - aspects * weight_of(aspects, iou);
}

}  // namespace letterpress
