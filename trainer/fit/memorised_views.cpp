#include "trainer/fit/memorised_views.h"

#include <algorithm>
#include <iterator>

#include "trainer/fit/evaluation/mean_loss.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/validation.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

constexpr int kMostSeen = 5, kWellSeen = 3;  // times that a view is seen
constexpr int kInARow = 2;                   // looks that must find it
constexpr std::int64_t kSettled = 3;         // looks begin behind this part of the epochs
constexpr std::size_t kPictures = 32;
constexpr double kMemorised = 1.1;  // times the views' loss

std::int64_t augmented_epochs(const FitOptions& options) {
  return options.epochs - clean_epochs_of(options);
}

std::string or_refresh(const FitOptions& options) {
  return options.snapshot == kFollow ? "" : ", or train with --snapshot follow --refresh 1";
}

}  // namespace

void MemorisedViews::begin(std::int64_t epochs) {
  begun_ = epochs;
  found_ = 0;
}

std::int64_t MemorisedViews::times_seen(std::int64_t epoch) const {
  const std::int64_t views = run_.snapshot().views;
  return views > 0 ? (epoch - begun_) / views : 0;
}

bool MemorisedViews::is_due(std::int64_t epoch) const {
  const std::int64_t times = times_seen(epoch), epochs = augmented_epochs(run_.options);
  return found_ < kInARow && is_first_rank(run_.options) && times >= 2 &&
         (epoch - begun_) % run_.snapshot().views == 0 && epoch <= epochs &&
         kSettled * epoch >= epochs;
}

std::optional<std::string> MemorisedViews::after(std::int64_t epoch) {
  if (!is_due(epoch)) return std::nullopt;
  const RankGroup::ScopedActivity busy(run_.options.group, RankActivity::long_task);
  std::vector<RowPlace> clean, seen;
  for (const PictureRows& picture : run_.pictures.train) {
    if (picture.augmented.empty() || clean.size() == kPictures) continue;
    clean.push_back(picture.clean);
    seen.push_back(picture.augmented.front());
  }
  const auto loss_of = [&](const std::vector<RowPlace>& rows) {
    return mean_loss(model_.network(), model_.loss(), run_.pictures.reader, rows,
                     evaluate_options_of(run_, model_));
  };
  const double on_clean = loss_of(clean).value(), on_seen = loss_of(seen).value();
  found_ = on_clean > kMemorised * on_seen ? found_ + 1 : 0;
  if (found_ < kInARow) return std::nullopt;
  return "memorised: after epoch " + std::to_string(epoch) + " the loss on " +
         std::to_string(clean.size()) + " clean pictures is " + c10::str(on_clean) +
         ", on their views, each seen " + std::to_string(times_seen(epoch)) + " times, " +
         c10::str(on_seen) + "; build the store with more --views" + or_refresh(run_.options);
}

std::optional<std::string> note_of_few_views(const FitOptions& options, int views) {
  const std::int64_t epochs = augmented_epochs(options);
  // Who follows the store's snapshots may get other views before that.
  if (views <= 0 || epochs <= std::int64_t{kMostSeen} * views || options.snapshot == kFollow)
    return std::nullopt;
  const std::string each =
      views == 1 ? "a picture's augmented view"
                 : "each of a picture's " + std::to_string(views) + " augmented views";
  return each + " will be seen " + c10::str(static_cast<double>(epochs) / views) + " times in " +
         std::to_string(epochs) + " epochs; what is seen more than " + std::to_string(kMostSeen) +
         " times may be learned by heart: build the store with --views " +
         std::to_string((epochs + kWellSeen - 1) / kWellSeen) + " or so" + or_refresh(options);
}

}  // namespace letterpress
