// What ends a run whose numbers are not finite, with the pictures to look at.
#include <utility>

#include "letterpress/base/error.h"
#include "trainer/fit/evaluation/picture_losses.h"
#include "trainer/fit/trainer_state.h"

namespace letterpress {
namespace {

// The loss scale of float16 has found its place after a fifth of it.
constexpr std::int64_t kMostSkipped = 100;

}  // namespace

// With the weights of now, which no step without finite gradients has changed. Nothing when they
// cannot be had: this is for a message.
std::vector<double> Trainer::State::losses_of(const std::vector<RowPlace>& rows) {
  std::vector<PictureRows> pictures;
  for (const RowPlace& row : rows) pictures.push_back({.clean = row});
  std::vector<double> losses;
  try {
    const auto measured =
        picture_losses(model_->network(), model_->loss(), reader_, pictures, evaluating());
    for (const PictureLoss& picture : measured.value()) losses.push_back(picture.loss);
  } catch (const std::exception&) {
    return {};
  }
  return losses;
}

// steps: since the last look.
void Trainer::State::check_skipped(std::int64_t steps) {
  const std::int64_t skipped = model_->skipped_steps(),
                     more = skipped - std::exchange(skipped_at_look_, skipped);
  skipped_in_row_ = more == steps ? skipped_in_row_ + steps : 0;
  if (skipped_in_row_ < kMostSkipped) return;
  throw Error(
      "step " + std::to_string(done_.step) +
      ": the training diverged: " + std::to_string(skipped_in_row_) +
      " steps in a row changed nothing, their gradients are not finite, though the loss is (" +
      c10::str(*log_->last_loss()) + " at the last one); " + log_->name_last_rows() +
      "; look at them with `letterpress-preprocess preview`, lower --lr or --class-weights, or "
      "take --precision fp32; --resume goes on "
      "from the last checkpoint");
}

}  // namespace letterpress
