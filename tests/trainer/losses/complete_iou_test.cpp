#include "trainer/losses/complete_iou.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace letterpress;

namespace {

double between(const std::vector<double>& a, const std::vector<double>& b) {
  return complete_iou(torch::tensor(a, torch::kDouble), torch::tensor(b, torch::kDouble))
      .item<double>();
}

}  // namespace

TEST_CASE("complete IoU of boxes is that of the paper, by hand") {
  CHECK(between({1, 2, 5, 8}, {1, 2, 5, 8}) == doctest::Approx(1));
  // Equal squares, shifted by half a side: IoU 2 / 6, centres 1 apart, diagonal^2 of the box around
  // both 3^2 + 2^2, equal aspects.
  CHECK(between({0, 0, 2, 2}, {1, 0, 3, 2}) == doctest::Approx(2.0 / 6 - 1.0 / 13));
  // Apart: IoU 0, centres 10 apart in x, around both 12 x 2.
  CHECK(between({0, 0, 2, 2}, {10, 0, 12, 2}) == doctest::Approx(-100.0 / 148));
  // One centre, aspects 4 and 1/4: IoU 4 / (16 + 16 - 4)... of 8 x 2 and 2 x 8.
  const double iou = 4.0 / 28, angle = std::atan(4.0) - std::atan(0.25);
  const double v = 4 / (std::numbers::pi * std::numbers::pi) * angle * angle;
  CHECK(between({-4, -1, 4, 1}, {-1, -4, 1, 4}) == doctest::Approx(iou - v * v / (1 - iou + v)));
}

TEST_CASE("shapes broadcast, all pairs in one call") {
  const torch::Tensor a = torch::tensor({{0., 0., 2., 2.}, {1., 0., 3., 2.}}, torch::kDouble),
                      b = torch::tensor({{0., 0., 2., 2.}}, torch::kDouble);
  const torch::Tensor pairs =
      complete_iou(a.unsqueeze(1), torch::cat({b, b + 1, b + 2}).unsqueeze(0));
  REQUIRE(pairs.sizes() == std::vector<std::int64_t>{2, 3});
  CHECK(pairs[1][0].item<double>() == doctest::Approx(2.0 / 6 - 1.0 / 13));
}

TEST_CASE(
    "the gradient is that of finite differences except for the weight of the aspect term, which is "
    "constant") {
  const torch::Tensor a = torch::tensor({1.0, 2.0, 6.5, 5.0}, torch::kDouble).requires_grad_(),
                      b = torch::tensor({2.0, 1.0, 5.0, 8.0}, torch::kDouble);
  complete_iou(a, b).backward();
  const auto held = [&](const torch::Tensor& at) {  // alpha of the place itself, v of `at`
    const auto parts = [&](const torch::Tensor& box) {
      const double w = box[2].item<double>() - box[0].item<double>(),
                   h = box[3].item<double>() - box[1].item<double>();
      const double turn = std::atan(w / h) - std::atan(3.0 / 7);
      return 4 / (std::numbers::pi * std::numbers::pi) * turn * turn;
    };
    const double v = parts(at), v_here = parts(a.detach());
    const double iou_and_centre = complete_iou(at, b).item<double>();
    const auto iou_of = [&](const torch::Tensor& box) {
      const double w = std::min(box[2].item<double>(), 5.0) - std::max(box[0].item<double>(), 2.0);
      const double h = std::min(box[3].item<double>(), 8.0) - std::max(box[1].item<double>(), 1.0);
      const double area = (box[2].item<double>() - box[0].item<double>()) *
                          (box[3].item<double>() - box[1].item<double>());
      return w * h / (area + 21 - w * h);
    };
    const double own_alpha = v / (1 - iou_of(at) + v),
                 alpha = v_here / (1 - iou_of(a.detach()) + v_here);
    return iou_and_centre + own_alpha * v - alpha * v;
  };
  for (std::int64_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    torch::Tensor more = a.detach().clone(), less = a.detach().clone();
    more[i] += 1e-5;
    less[i] -= 1e-5;
    CHECK(a.grad()[i].item<double>() ==
          doctest::Approx((held(more) - held(less)) / 2e-5).epsilon(1e-4));
  }
}

TEST_CASE("boxes without width or height give finite values and gradients") {
  for (const std::vector<float>& flat :
       {std::vector<float>{3, 3, 3, 3}, {3, 3, 3, 9}, {3, 3, 9, 3}, {9, 9, 3, 3}}) {
    const torch::Tensor a = torch::tensor(flat).requires_grad_(),
                        b = torch::tensor({0.f, 0.f, 0.f, 0.f});
    const torch::Tensor value = complete_iou(a, b);
    value.backward();
    CHECK(value.isfinite().item<bool>());
    CHECK(a.grad().isfinite().all().item<bool>());
  }
}
