#pragma once
#include <doctest/doctest.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "trainer/augment/batch_augmentation.h"
#include "trainer/augment/draws.h"

namespace letterpress {

struct CaseBox {
  std::int64_t x1, y1, x2, y2;
};

/// Grey pictures, each with bright rectangles where its boxes are: red 1, green (row + 1) / 16,
/// blue (box + 1) / 16, so that a pixel tells which rectangle it is of. Class of a box: 8 * row +
/// box. The rest is 0.25 everywhere.
inline Batch batch_of(std::int64_t side, const std::vector<std::vector<CaseBox>>& pictures,
                      std::int64_t places) {
  const auto rows = static_cast<std::int64_t>(pictures.size());
  Batch batch;
  batch.images =
      torch::full({rows, 3, side, side}, 0.25).contiguous(torch::MemoryFormat::ChannelsLast);
  batch.boxes = torch::zeros({rows, places, 5});
  batch.boxes.select(2, 4).fill_(-1);
  batch.flags = torch::zeros({rows, places}, torch::kByte);
  batch.label = torch::full({rows}, -1, torch::kLong);
  batch.weight = torch::ones({rows});
  for (std::int64_t row = 0; row < rows; ++row) {
    batch.rows.push_back(row);
    const auto& boxes = pictures[static_cast<std::size_t>(row)];
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(boxes.size()); ++i) {
      const CaseBox& box = boxes[static_cast<std::size_t>(i)];
      const std::vector<float> numbers{static_cast<float>(box.x1), static_cast<float>(box.y1),
                                       static_cast<float>(box.x2), static_cast<float>(box.y2),
                                       static_cast<float>(8 * row + i)};
      batch.boxes[row][i] = torch::tensor(numbers);
      const torch::Tensor region =
          batch.images[row].narrow(1, box.y1, box.y2 - box.y1).narrow(2, box.x1, box.x2 - box.x1);
      region[0].fill_(1);
      region[1].fill_(static_cast<double>(row + 1) / 16);
      region[2].fill_(static_cast<double>(i + 1) / 16);
    }
  }
  return batch;
}

/// Four pictures of 32 pixels with one to three boxes on even pixels.
inline Batch four_pictures(std::int64_t places = 6) {
  return batch_of(32,
                  {{{4, 8, 12, 20}},
                   {{0, 0, 8, 8}, {16, 18, 30, 32}},
                   {{2, 2, 30, 12}, {10, 20, 20, 28}, {24, 22, 30, 28}},
                   {{4, 6, 26, 26}}},
                  places);
}

inline Batch apply(const std::string& names, const Batch& batch, const BatchPosition& position) {
  return augment(batch_augmentations(names), batch, position);
}
inline BatchPosition at_step(std::int64_t step, const Batch& batch) {
  return {.seed = 3, .step = step, .augmented = batch.images.size(0)};
}

inline bool same_pixels(const Batch& a, const Batch& b, std::int64_t row) {
  return torch::equal(a.images[row], b.images[row]);
}
inline double number(const torch::Tensor& scalar) { return scalar.item<double>(); }

/// An operation that changes half of all pictures, over some steps.
struct HalfChanged {
  const char* operation;
  std::int64_t steps;
  int numbers;  ///< that it draws for a picture; the first one decides
};
/// Checks that the pictures that it leaves are as they were, and has changed(result, numbers, row)
/// check the others. numbers: float [rows, n]. How many these are.
template <class Changed>
int check_half_changed(const HalfChanged& half, const Batch& batch, Changed&& changed) {
  int n = 0;
  for (std::int64_t step = 0; step < half.steps; ++step) {
    const BatchPosition position = at_step(step, batch);
    const Batch result = apply(half.operation, batch, position);
    const torch::Tensor numbers = draw(half.operation, batch, position, half.numbers);
    for (std::int64_t row = 0; row < batch.images.size(0); ++row) {
      CAPTURE(step);
      CAPTURE(row);
      if (number(numbers[row][0]) >= 0.5) {
        CHECK(same_pixels(result, batch, row));
        CHECK(torch::equal(result.boxes[row], batch.boxes[row]));
        continue;
      }
      ++n;
      changed(result, numbers, row);
    }
  }
  return n;
}

/// Where the pixels of a rectangle are: x1 y1 x2 y2, none of them: all 0.
inline std::vector<std::int64_t> found_rectangle(const torch::Tensor& image,
                                                 std::int64_t class_id) {
  const double green = static_cast<double>(class_id / 8 + 1) / 16,
               blue = static_cast<double>(class_id % 8 + 1) / 16;
  const torch::Tensor pixels =
      image[0].eq(1).logical_and(image[1].eq(green)).logical_and(image[2].eq(blue)).nonzero();
  if (pixels.size(0) == 0) return {0, 0, 0, 0};
  const torch::Tensor first = std::get<0>(pixels.min(0)), last = std::get<0>(pixels.max(0));
  return {first[1].item<std::int64_t>(), first[0].item<std::int64_t>(),
          last[1].item<std::int64_t>() + 1, last[0].item<std::int64_t>() + 1};
}

/// Checks that every box of a row is around the pixels of its rectangle. Returns the number of
/// boxes.
inline int check_boxes_lie_on_pixels(const Batch& batch, std::int64_t row) {
  int n = 0;
  for (std::int64_t i = 0; i < batch.boxes.size(1); ++i) {
    const torch::Tensor box = batch.boxes[row][i];
    const auto class_id = static_cast<std::int64_t>(number(box[4]));
    if (class_id < 0) continue;
    ++n;
    CAPTURE(row);
    CAPTURE(class_id);
    const std::vector<std::int64_t> pixels = found_rectangle(batch.images[row], class_id);
    for (std::int64_t k = 0; k < 4; ++k)
      CHECK(number(box[k]) == static_cast<double>(pixels[static_cast<std::size_t>(k)]));
  }
  return n;
}

}  // namespace letterpress
