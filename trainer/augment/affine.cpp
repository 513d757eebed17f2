#include <cmath>

#include "trainer/augment/draws.h"
#include "trainer/augment/padded_boxes.h"

namespace letterpress {
namespace {

constexpr double kMostScale = 1.25;  // or 1 / that: a view is made of a picture once already
constexpr double kMostShift = 0.1;   // of the side

/// Of each picture: about the middle of the frame by `scale`, then by `shift` pixels.
struct Move {
  torch::Tensor scale;     ///< float32 [B, 1]
  torch::Tensor shift[2];  ///< float32 [B, 1], along x and y
  double side;
};

/// Where in its picture each pixel of a row or column is, -1..1 over the frame. float32 [B, side].
torch::Tensor places_along(const Move& move, int axis) {
  const double middle = move.side / 2;
  const torch::Tensor centre =
      torch::arange(static_cast<std::int64_t>(move.side), move.scale.options()) + 0.5;
  return ((centre.unsqueeze(0) - middle - move.shift[axis]) / move.scale) / middle;
}

/// images: [B, 3, side, side] channels_last; the result likewise. Bilinear; `fill` beside them.
torch::Tensor pixels_of(const Move& move, const torch::Tensor& images, double fill) {
  const std::int64_t rows = images.size(0), side = images.size(3);
  const std::vector<std::int64_t> shape{rows, side, side};
  const torch::Tensor grid = torch::stack({places_along(move, 0).unsqueeze(1).expand(shape),
                                           places_along(move, 1).unsqueeze(2).expand(shape)},
                                          3);
  // Beside a picture the sampler has zeros.
  const torch::Tensor moved =
      at::grid_sampler(images.to(torch::kFloat) - fill, grid, /*bilinear*/ 0, /*zeros*/ 0,
                       /*align_corners=*/false);
  return (moved + fill)
      .clamp_(0, 1)
      .to(images.scalar_type())
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

PaddedBoxes boxes_of(const Move& move, const Batch& batch, const BoxRule& rule) {
  torch::Tensor boxes = batch.boxes.clone();
  for (std::int64_t i = 0; i < 4; ++i) {
    const torch::Tensor place = boxes.select(2, i);
    place.copy_((place - move.side / 2) * move.scale + move.side / 2 + move.shift[i % 2]);
  }
  return largest(cut_at_frame({boxes, batch.flags, batch.boxes.select(2, 4) >= 0}, move.side, rule),
                 boxes.size(1));
}

Batch affine(const Batch& batch, const BatchPosition& position) {
  const torch::Tensor numbers = draw("affine", batch, position, 3);
  const auto side = static_cast<double>(batch.images.size(3));
  const auto drawn = [&](std::int64_t i) { return 2 * numbers.narrow(1, i, 1) - 1; };
  const Move move{(drawn(0) * std::log(kMostScale)).exp(),
                  {drawn(1) * (kMostShift * side), drawn(2) * (kMostShift * side)},
                  side};
  return with_rows(batch, choose(numbers.select(1, 0), position, 1),
                   pixels_of(move, batch.images, position.fill),
                   boxes_of(move, batch, position.boxes_left));
}

}  // namespace

extern const BatchAugmentation affine_batch{
    "affine",
    "scaled by up to 1.25 or 1 / 1.25 about the middle and shifted by up to a tenth of the side",
    false, affine};

}  // namespace letterpress
