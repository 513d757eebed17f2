#include "trainer/fit/hard_negatives.h"

#include <algorithm>
#include <cmath>

#include "trainer/fit/evaluation/picture_losses.h"
#include "trainer/fit/validation.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

constexpr double kLargest = 1e6;  // a sum over all pictures fits into 64 bits

std::int64_t thousandths(double loss) {
  const double scaled = std::round(1000 * loss);
  return static_cast<std::int64_t>(std::isfinite(scaled) ? std::clamp(scaled, 1.0, kLargest)
                                                         : kLargest);
}

}  // namespace

bool HardNegatives::measure(std::int64_t epoch) {
  if (!any()) return true;
  const std::vector<std::size_t>& backgrounds = run_.pictures.repeated.backgrounds;
  const auto all = static_cast<std::int64_t>(backgrounds.size());
  const std::int64_t n = std::min(all, std::max<std::int64_t>(1, run_.plan.samples / 4));
  std::vector<std::size_t> places;
  std::vector<PictureRows> pictures;
  for (std::int64_t i = 0; i < n; ++i) {
    places.push_back(static_cast<std::size_t>(((epoch - 1) * n + i) % all));
    pictures.push_back({.clean = run_.pictures.train[backgrounds[places.back()]].clean});
  }
  EvaluateOptions options = evaluate_options_of(run_, model_);
  options.group = run_.options.group;
  options.stop = [&] {
    if (run_.options.group) run_.options.group->report_progress();
    return session_.is_stopped();
  };
  const auto measured = model_.with_weights_to_use([&] {
    return picture_losses(model_.network(), model_.loss(), run_.pictures.reader, pictures, options);
  });
  std::vector<std::int64_t> losses;  // this rank's; -1: another one's, or stopped
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const bool is_own = measured && (*measured)[i].place.shard >= 0;
    losses.push_back(is_own ? thousandths((*measured)[i].loss) : -1);
  }
  losses.push_back(measured ? 0 : 1);
  if (run_.options.group) losses = run_.options.group->all_reduce_max(std::move(losses));
  if (losses.back() > 0) return false;
  run_.done.background_losses.resize(backgrounds.size(), 0);
  for (std::size_t i = 0; i < pictures.size(); ++i)
    run_.done.background_losses[places[i]] = static_cast<std::uint32_t>(losses[i]);
  return true;
}

}  // namespace letterpress
