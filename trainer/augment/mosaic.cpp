#include "trainer/augment/draws.h"
#include "trainer/augment/padded_boxes.h"

namespace letterpress {
namespace {

constexpr double kMosaicChance = 0.5;

/// Four pictures of half the side that meet in a point of the frame. Whole numbers, int64, pixels
/// of the frame.
struct Mosaic {
  torch::Tensor meeting;  ///< [B, 2] x y: in the middle half of the frame
  torch::Tensor
      pictures;  ///< [B, 4] rows of the batch: top left, top right, bottom left, bottom right
  std::int64_t side;

  std::int64_t half() const { return side / 2; }
  torch::Tensor index(std::int64_t n) const { return torch::arange(n, meeting.options()); }
};

Mosaic draw_mosaic(const torch::Tensor& numbers, std::int64_t side) {
  const torch::Tensor offset = (numbers.narrow(1, 1, 2) * static_cast<double>(side / 2 + 1))
                                   .to(torch::kLong)
                                   .clamp_max_(side / 2);
  const std::int64_t rows = numbers.size(0);
  std::vector<torch::Tensor> pictures{torch::arange(rows, offset.options())};
  if (rows > 3) {
    for (torch::Tensor& others : choose_three_others(numbers.narrow(1, 3, 3)))
      pictures.push_back(std::move(others));
  } else {  // too few for three
    for (int i = 3; i < 6; ++i)
      pictures.push_back(rows > 1 ? choose_others(numbers.select(1, i)) : pictures[0]);
  }
  return {offset + side / 4, torch::stack(pictures, 1), side};
}

/// Along one axis, [B, side] each: whether a pixel is after the meeting point, its position in the
/// picture there, and whether it has one.
struct Axis {
  torch::Tensor after, place, inside;
};
Axis axis_of(const Mosaic& mosaic, int axis) {
  const torch::Tensor from_meeting =
      mosaic.index(mosaic.side) - mosaic.meeting.select(1, axis).unsqueeze(1);
  const torch::Tensor after = from_meeting >= 0;
  const torch::Tensor place = from_meeting + after.logical_not().to(torch::kLong) * mosaic.half();
  return {after, place.clamp(0, mosaic.half() - 1),
          (place >= 0).logical_and_(place < mosaic.half())};
}

/// images: [B, 3, side, side] channels_last; the result likewise. Pictures are halved by the mean
/// of 2 x 2 pixels.
torch::Tensor pixels_of(const Mosaic& mosaic, const torch::Tensor& images, double fill) {
  const torch::Tensor halved = at::avg_pool2d(images, 2).permute({0, 2, 3, 1}).contiguous();
  const Axis x = axis_of(mosaic, 0), y = axis_of(mosaic, 1);
  const torch::Tensor quarter =
      x.after.to(torch::kLong).unsqueeze(1) + 2 * y.after.to(torch::kLong).unsqueeze(2);
  const torch::Tensor picture = mosaic.pictures.gather(1, quarter.flatten(1)).view_as(quarter);
  const torch::Tensor pixel =
      (picture * mosaic.half() + y.place.unsqueeze(2)) * mosaic.half() + x.place.unsqueeze(1);
  const torch::Tensor outside =
      x.inside.unsqueeze(1).logical_and(y.inside.unsqueeze(2)).logical_not_();
  torch::Tensor result =
      halved.view({-1, 3}).index_select(0, pixel.flatten()).view({-1, mosaic.side, mosaic.side, 3});
  return result.masked_fill_(outside.unsqueeze(3), fill).permute({0, 3, 1, 2});
}

/// Boxes of the four pictures, cut at the frame; boxes that are too small or of which too little is
/// left are dropped.
PaddedBoxes boxes_of(const Mosaic& mosaic, const Batch& batch, const BoxRule& rule) {
  const std::int64_t rows = batch.boxes.size(0), n = batch.boxes.size(1);
  const torch::Tensor from = mosaic.pictures.flatten();
  torch::Tensor boxes = batch.boxes.index_select(0, from).view({rows, 4, n, 5});
  const torch::Tensor flags = batch.flags.index_select(0, from).view({rows, 4 * n});
  const torch::Tensor quarter = mosaic.index(4);
  const torch::Tensor after =
      torch::stack({quarter.remainder(2), quarter.bitwise_right_shift(1)}, 1);  // [4, 2]
  const torch::Tensor corner =
      mosaic.meeting.unsqueeze(1) - (1 - after).unsqueeze(0) * mosaic.half();  // [B, 4, 2]
  const torch::Tensor whole =
      boxes.narrow(3, 0, 4) * 0.5 + corner.repeat({1, 1, 2}).unsqueeze(2);  // [B, 4, n, 4]
  boxes.narrow(3, 0, 4).copy_(whole);
  boxes = boxes.view({rows, 4 * n, 5});
  return largest(
      cut_at_frame({boxes, flags, boxes.select(2, 4) >= 0}, static_cast<double>(mosaic.side), rule),
      mixed_slots(n, 4));
}

/// arXiv:2004.10934, section 3.3: several pictures in one.
Batch mosaic(const Batch& batch, const BatchPosition& position) {
  const torch::Tensor numbers = draw("mosaic", batch, position, 6);
  const torch::Tensor chosen = choose(numbers.select(1, 0), position, kMosaicChance);
  const Mosaic drawn = draw_mosaic(numbers, batch.images.size(3));
  return with_rows(batch, chosen, pixels_of(drawn, batch.images, position.fill),
                   boxes_of(drawn, batch, position.boxes_left));
}

}  // namespace

extern const BatchAugmentation mosaic_batch{
    "mosaic",
    "every second picture at half its size, meeting three others of the rank's batch at a drawn "
    "point of the frame",
    true, mosaic};

}  // namespace letterpress
