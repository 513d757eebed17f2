#include "preprocess/inputs/label_sizes.h"

#include <algorithm>
#include <cstdlib>

#include "letterpress/base/size_text.h"

namespace letterpress {
namespace {

bool has_same_aspect(const Candidate& candidate) {
  const Item& item = candidate.item;
  const auto across = std::int64_t{item.width} * candidate.height;
  const auto down = std::int64_t{item.height} * candidate.width;
  // Sizes are rounded: one of them may be half a pixel off.
  return 2 * std::abs(across - down) <=
         std::max(std::max(item.width, item.height), std::max(candidate.width, candidate.height));
}

void scale(Candidate& candidate) {
  Item& item = candidate.item;
  const float across = static_cast<float>(candidate.width) / static_cast<float>(item.width);
  const float down = static_cast<float>(candidate.height) / static_cast<float>(item.height);
  for (LabelBox& box : item.boxes) {
    box.x1 *= across;
    box.x2 *= across;
    box.y1 *= down;
    box.y2 *= down;
    if (box.area >= 0) box.area *= across * down;
  }
  item.width = candidate.width;
  item.height = candidate.height;
}

Reject other_size(const Candidate& candidate, bool scalable) {
  const Item& item = candidate.item;
  return {item.where,
          "the picture is " + size_text(candidate.width, candidate.height) +
              " pixels, its label file says " + size_text(item.width, item.height),
          scalable ? "scale the boxes with --label-size scale, or restore the picture"
                   : "restore the picture that was labelled, or pass --label-size ignore if only "
                     "the size is wrong"};
}

}  // namespace

bool states_other_size(const Candidate& candidate) {
  const Item& item = candidate.item;
  if (item.width <= 0 || item.height <= 0) return false;
  if (item.normalised && has_same_aspect(candidate)) return false;
  const bool as_displayed = item.width == candidate.width && item.height == candidate.height;
  const bool is_before_turn =
      are_before_turn(item, candidate.width, candidate.height, candidate.orientation)
          .value_or(false);
  return !as_displayed && !is_before_turn;
}

void settle_label_sizes(Inputs& inputs, LabelSize label_size) {
  if (label_size == LabelSize::ignore) return;
  for (Candidate& candidate : inputs.candidates) {
    if (candidate.reject || !states_other_size(candidate)) continue;
    const bool scalable = has_same_aspect(candidate);
    if (scalable && label_size == LabelSize::scale) {
      scale(candidate);
      continue;
    }
    candidate.reject = std::make_shared<const Reject>(other_size(candidate, scalable));
    candidate.width = candidate.height =
        0;  // in the ledger, a reject with a size is one of bytes that cannot be decoded
  }
}

}  // namespace letterpress
