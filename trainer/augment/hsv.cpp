#include <array>

#include "trainer/augment/draws.h"

namespace letterpress {
namespace {

// As in recipe detect.
constexpr double kHue = 0.015, kSaturation = 1.7, kValue = 1.4;

/// float [B, S, S] each.
struct Hsv {
  torch::Tensor hue;  ///< sixths of the colour wheel, 0 to under 6
  torch::Tensor saturation, value;
};

/// images: float32 [B, 3, S, S], RGB 0..1.
Hsv to_hsv(const torch::Tensor& images) {
  const torch::Tensor red = images.select(1, 0), green = images.select(1, 1),
                      blue = images.select(1, 2);
  const torch::Tensor value = images.amax(1), spread = value - images.amin(1);
  const torch::Tensor divisor = spread.clamp_min(1e-12);  // of grey, which has no hue
  const torch::Tensor by_blue = (red - green) / divisor + 4, by_green = (blue - red) / divisor + 2;
  const torch::Tensor by_red = ((green - blue) / divisor).remainder(6);
  const torch::Tensor hue =
      torch::where(value == red, by_red, torch::where(value == green, by_green, by_blue));
  return {hue, spread / value.clamp_min(1e-12), value};
}

/// Back to RGB, [B, 3, S, S] channels_last: each channel falls from value to value * (1 -
/// saturation) over a sixth of the wheel, stays there for two, and rises again.
torch::Tensor to_rgb(const Hsv& hsv) {
  const torch::Tensor chroma = hsv.value * hsv.saturation;
  const auto channel = [&](double offset) {
    const torch::Tensor place = (hsv.hue + offset).remainder(6);
    return hsv.value - chroma * torch::minimum(place, 4 - place).clamp(0, 1);
  };
  return torch::stack({channel(5), channel(3), channel(1)}, 3).permute({0, 3, 1, 2});
}

/// 1 to `most`, or as often 1 / that. coin, numbers: float32 [B], 0 to under 1.
torch::Tensor factor(const torch::Tensor& coin, const torch::Tensor& numbers, double most) {
  const torch::Tensor raised = 1 + numbers * (most - 1);
  return torch::where(coin < 0.5, raised, raised.reciprocal());
}

Batch hsv(const Batch& batch, const BatchPosition& position) {
  const torch::Tensor numbers = draw("hsv", batch, position, 5);
  const auto drawn = [&](std::int64_t i) { return numbers.select(1, i); };
  const auto each = [](const torch::Tensor& rows) { return rows.view({-1, 1, 1}); };
  const torch::Tensor turn = 6 * kHue * (2 * drawn(0) - 1);
  Hsv colours = to_hsv(batch.images.to(torch::kFloat));
  colours.hue = (colours.hue + each(turn)).remainder(6);
  colours.saturation =
      (colours.saturation * each(factor(drawn(1), drawn(2), kSaturation))).clamp_max_(1);
  colours.value = (colours.value * each(factor(drawn(3), drawn(4), kValue))).clamp_max_(1);
  const torch::Tensor changed = choose(drawn(0), position, 1).view({-1, 1, 1, 1});
  Batch result = batch;
  result.images =
      torch::where(changed, to_rgb(colours).to(batch.images.scalar_type()), batch.images);
  return result;
}

}  // namespace

extern const BatchAugmentation hsv_batch{"hsv",
                                         "hue turned by up to 0.015, saturation and value times or "
                                         "by up to 1.7 and 1.4, as recipe detect",
                                         false, hsv};

}  // namespace letterpress
