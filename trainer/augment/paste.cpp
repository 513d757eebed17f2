#include "trainer/augment/draws.h"
#include "trainer/augment/padded_boxes.h"
#include "trainer/augment/pasted_objects.h"

namespace letterpress {
namespace {

constexpr double kPasteChance = 0.5;
constexpr int kPastes = 3, kTries = 64;
constexpr int kNumbers = 1 + 2 * kTries;  // of a paste: the object, places to try
constexpr std::int64_t kPointsOfSide =
    16;  // of an outline, at which an object and a place are compared
constexpr double kMostDifference = 0.2;             // of what is around both, of black and white
constexpr double kAlike = 2.0 / 255;                // of what is one grey
constexpr double kDarkest = 0.1, kBrightest = 0.9;  // of a grey that colours were changed of

/// What the batch becomes: pixels that are taken from elsewhere, boxes so far.
struct Canvas {
  torch::Tensor pixels;   ///< [B * side * side, 3] of the batch
  torch::Tensor from;     ///< int64 [B, side, side]: row of `pixels` that shows there
  torch::Tensor share;    ///< float32 [B, side, side]: how much of it, 0..1
  PaddedBoxes boxes;      ///< with a slot for each paste
  torch::Tensor changed;  ///< bool [B]
  std::int64_t side;
  torch::Tensor borders;  ///< float32 [B, 5, 3]: the greys that may be beside a picture; -1: none
};

/// The grey beside each picture: `fill`, and what a recipe or an operation before this one made of
/// it. That is where two neighbouring corners of the frame are one grey, unless most of what is
/// around the middle, where a picture is, is the same. float32 [B, 5, 3].
torch::Tensor borders_of(const torch::Tensor& images, double fill) {
  const std::int64_t last = images.size(3) - 1, half = last / 2, quarter = last / 4;
  using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const auto shown = [&](const Places& places) {
    std::vector<torch::Tensor> pixels;
    for (const auto& [y, x] : places) pixels.push_back(images.select(2, y).select(2, x));
    return torch::stack(pixels, 1).to(torch::kFloat);
  };
  const auto alike = [](const torch::Tensor& difference) {
    return difference.abs().amax(-1) < kAlike;
  };
  const torch::Tensor corners = shown({{0, 0}, {0, last}, {last, last}, {last, 0}}),
                      middle = shown({{half, half},
                                      {half, quarter},
                                      {half, last - quarter},
                                      {quarter, half},
                                      {last - quarter, half}}),
                      value = corners.mean(2);
  const torch::Tensor is_border =
      alike(corners - value.unsqueeze(2))
          .logical_and_(value > kDarkest)
          .logical_and_(value < kBrightest)
          .logical_and_(alike(corners - corners.roll({1}, {1}))
                            .logical_or_(alike(corners - corners.roll({-1}, {1}))))
          .logical_and_(alike(corners.unsqueeze(2) - middle.unsqueeze(1)).sum(2) < 3);
  return torch::cat({torch::where(is_border.unsqueeze(2), corners, -1.0),
                     torch::full({corners.size(0), 1, 3}, fill, corners.options())},
                    1);
}

/// numbers: float32 [B, kTries], 0 to under 1; size: int64 [B]. Where along an axis it may lie, all
/// of it in the frame: int64 [B, kTries].
torch::Tensor tried(const torch::Tensor& numbers, const torch::Tensor& size, std::int64_t side) {
  const torch::Tensor most = (side - size).unsqueeze(1);
  return torch::minimum((numbers * (most + 1)).to(torch::kLong), most);
}

/// Whether an object with its margin there covers nothing of a labelled one, and none of its
/// corners is in the grey beside a picture. bool [B, kTries].
torch::Tensor is_free(const Canvas& canvas, const CutObject& cut, const torch::Tensor& x,
                      const torch::Tensor& y) {
  const auto each = [](const torch::Tensor& rows) { return rows.unsqueeze(1); };
  const torch::Tensor right = x + each(cut.width), bottom = y + each(cut.height);
  const auto box = [&](std::int64_t i) { return canvas.boxes.boxes.select(2, i).unsqueeze(1); };
  const auto margin = each(cut.margin);
  const torch::Tensor covers = (box(0) < (right + margin).unsqueeze(2))
                                   .logical_and_(box(2) > (x - margin).unsqueeze(2))
                                   .logical_and_(box(1) < (bottom + margin).unsqueeze(2))
                                   .logical_and_(box(3) > (y - margin).unsqueeze(2))
                                   .logical_and_(canvas.boxes.used.unsqueeze(1))
                                   .any(2);
  const torch::Tensor row = each(torch::arange(x.size(0), x.options()));
  const auto pixel = [&](const torch::Tensor& column, const torch::Tensor& line) {
    return (row * canvas.side + line) * canvas.side + column;
  };
  const torch::Tensor corners = torch::stack(
      {pixel(x, y), pixel(right - 1, y), pixel(x, bottom - 1), pixel(right - 1, bottom - 1)}, 2);
  const torch::Tensor shown = canvas.pixels.index_select(0, corners.flatten())
                                  .to(torch::kFloat)
                                  .view({x.size(0), -1, 1, 3});
  const torch::Tensor is_grey =
      ((shown - canvas.borders.unsqueeze(1)).abs().amax(3) < kAlike).any(2).view_as(corners).any(2);
  return covers.logical_or_(is_grey).logical_not_();
}

/// Points around an object, along the outer edge of its margin: columns and lines from its first
/// pixel, int64 [B, 4 * kPointsOfSide].
struct Outline {
  torch::Tensor columns, lines;
};

Outline outline_of(const CutObject& cut) {
  const auto options = torch::TensorOptions(torch::kFloat).device(cut.width.device());
  const torch::Tensor parts =
      torch::arange(kPointsOfSide, options) / static_cast<double>(kPointsOfSide - 1);
  const torch::Tensor before = -cut.margin.unsqueeze(1);
  const auto along = [&](const torch::Tensor& size) {
    return (parts * (size - 1 + 2 * cut.margin).unsqueeze(1)).round().to(torch::kLong) + before;
  };
  const auto end = [](const torch::Tensor& of, std::int64_t at) {
    return of.narrow(1, at, 1).expand_as(of);
  };
  const torch::Tensor x = along(cut.width), y = along(cut.height);
  return {torch::cat({x, x, end(x, 0), end(x, kPointsOfSide - 1)}, 1),
          torch::cat({end(y, 0), end(y, kPointsOfSide - 1), y, y}, 1)};
}

/// How much the pixels around an object differ from those around a place, mean of points and
/// channels: float32 [B, kTries], 0 to 1. Where they are alike, the rectangle cuts nothing that
/// would then look like an object, and is not learnt by its edges.
torch::Tensor difference_at(const Canvas& canvas, const CutObject& cut, const torch::Tensor& x,
                            const torch::Tensor& y) {
  const auto shown = [&](const torch::Tensor& row, const torch::Tensor& column,
                         const torch::Tensor& line) {
    const torch::Tensor pixel = (row * canvas.side + line.clamp(0, canvas.side - 1)) * canvas.side +
                                column.clamp(0, canvas.side - 1);
    return canvas.pixels.index_select(0, pixel.flatten())
        .to(torch::kFloat)
        .view({pixel.size(0), pixel.size(1), 3 * pixel.size(2)});
  };
  const Outline outline = outline_of(cut);
  const torch::Tensor columns = outline.columns.unsqueeze(1), lines = outline.lines.unsqueeze(1);
  const auto each = [](const torch::Tensor& rows) { return rows.view({-1, 1, 1}); };
  const torch::Tensor row = torch::arange(x.size(0), x.options());
  return (shown(each(row), x.unsqueeze(2) + columns, y.unsqueeze(2) + lines) -
          shown(each(cut.row), each(cut.left) + columns, each(cut.top) + lines))
      .abs()
      .mean(2);
}

/// How much of an object shows along an axis, float32 [B, side]: all in its box, less and less over
/// the margin. first: its first pixel; moved: by how much it is moved, both int64 [B].
torch::Tensor share_along(const CutObject& cut, const torch::Tensor& first,
                          const torch::Tensor& size, const torch::Tensor& moved,
                          std::int64_t side) {
  const torch::Tensor place = torch::arange(side, first.options()).unsqueeze(0);
  const torch::Tensor before = first.unsqueeze(1) - place,
                      after = place - (first + size - 1).unsqueeze(1);
  const torch::Tensor outside = torch::maximum(before, after).clamp_min(0);
  const torch::Tensor share =
      (1 - outside.to(torch::kFloat) / (cut.margin + 1).unsqueeze(1)).clamp_min(0);
  const torch::Tensor source = place - moved.unsqueeze(1);
  return share * (source >= 0).logical_and_(source < side);
}

void paste_pixels(Canvas& canvas, const CutObject& cut, const torch::Tensor& x,
                  const torch::Tensor& y, const torch::Tensor& placed) {
  const torch::Tensor right = x - cut.left, down = y - cut.top;
  const torch::Tensor share =
      (share_along(cut, x, cut.width, right, canvas.side) * placed.unsqueeze(1)).unsqueeze(1) *
      share_along(cut, y, cut.height, down, canvas.side).unsqueeze(2);
  const torch::Tensor place = torch::arange(canvas.side, x.options()).unsqueeze(0);
  const torch::Tensor column = (place - right.unsqueeze(1)).unsqueeze(1),
                      line = (cut.row * canvas.side - down).unsqueeze(1) + place;
  const torch::Tensor source = line.unsqueeze(2) * canvas.side + column;
  const torch::Tensor shows = share > 0;
  canvas.from = torch::where(shows, source, canvas.from);
  canvas.share = torch::where(shows, share, canvas.share);
}

/// numbers: float32 [B, kNumbers].
void paste_one(Canvas& canvas, const ObjectsToPaste& objects, const torch::Tensor& numbers,
               const torch::Tensor& chosen, std::int64_t slot) {
  const CutObject cut = cut_object(objects, numbers.select(1, 0));
  const torch::Tensor xs = tried(numbers.narrow(1, 1, kTries), cut.width, canvas.side),
                      ys = tried(numbers.narrow(1, 1 + kTries, kTries), cut.height, canvas.side);
  const torch::Tensor has_room = canvas.boxes.used.sum(1) < objects.places;
  const torch::Tensor free =
      is_free(canvas, cut, xs, ys)
          .logical_and_(chosen.logical_and(cut.any).logical_and_(has_room).unsqueeze(1));
  const auto [least, best] =
      torch::where(free, difference_at(canvas, cut, xs, ys), 1.0 + kMostDifference)
          .min(1, /*keepdim=*/true);
  const torch::Tensor placed = (least <= kMostDifference).squeeze(1),
                      x = xs.gather(1, best).squeeze(1), y = ys.gather(1, best).squeeze(1);
  paste_pixels(canvas, cut, x, y, placed);
  const torch::Tensor moved = torch::stack({x - cut.left, y - cut.top}, 1);
  const torch::Tensor box = canvas.boxes.boxes.select(1, slot);
  box.copy_(cut.box);
  box.narrow(1, 0, 4).add_(moved.repeat({1, 2}));
  canvas.boxes.used.select(1, slot).copy_(placed);
  canvas.changed = canvas.changed.logical_or(placed);
}

Canvas canvas_of(const Batch& batch, double fill) {
  const std::int64_t rows = batch.images.size(0), side = batch.images.size(3);
  const torch::Tensor further = torch::zeros({rows, kPastes, 5}, batch.boxes.options()),
                      used = batch.boxes.select(2, 4) >= 0;
  const auto whole = torch::TensorOptions(torch::kLong).device(batch.images.device());
  return {batch.images.permute({0, 2, 3, 1}).contiguous().view({-1, 3}),
          torch::arange(rows * side * side, whole).view({rows, side, side}),
          torch::zeros({rows, side, side}, batch.boxes.options()),
          {torch::cat({batch.boxes, further}, 1),
           torch::cat({batch.flags, torch::zeros({rows, kPastes}, batch.flags.options())}, 1),
           torch::cat({used, torch::zeros({rows, kPastes}, used.options())}, 1)},
          torch::zeros({rows}, used.options()),
          side,
          borders_of(batch.images, fill)};
}

/// arXiv:2012.07177 for boxes: no masks are known, so an object is its rectangle with soft edges.
/// It covers no other one, and of kTries places it gets the one whose surroundings are most like
/// its own.
Batch paste(const Batch& batch, const BatchPosition& position) {
  if (batch.images.size(0) < 2) return batch;
  const torch::Tensor numbers = draw("paste", batch, position, 1 + kPastes * kNumbers);
  const torch::Tensor chosen = choose(numbers.select(1, 0), position, kPasteChance);
  const ObjectsToPaste objects = objects_to_paste(batch, position);
  Canvas canvas = canvas_of(batch, position.fill);
  for (int i = 0; i < kPastes; ++i)
    paste_one(canvas, objects, numbers.narrow(1, 1 + i * kNumbers, kNumbers), chosen,
              objects.places + i);
  const std::int64_t side = canvas.side;
  const torch::Tensor pasted = canvas.pixels.index_select(0, canvas.from.flatten())
                                   .view({-1, side, side, 3})
                                   .permute({0, 3, 1, 2});
  const torch::Tensor mixed =
      torch::lerp(batch.images, pasted, canvas.share.to(batch.images.scalar_type()).unsqueeze(1));
  return with_rows(batch, canvas.changed, mixed, largest(canvas.boxes, objects.places));
}

}  // namespace

extern const BatchAugmentation paste_batch{
    "paste",
    "every second picture gets up to three objects of others of the rank's batch, the rarer their "
    "class the likelier, with soft edges, where they cover no other and what is around them fits "
    "best",
    true, paste};

}  // namespace letterpress
