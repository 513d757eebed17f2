#include "trainer/fit/log/run_scalars.h"

#include <numeric>

namespace letterpress {

std::vector<Scalar> scalars_of(const FitProgress& progress) {
  std::vector<Scalar> scalars{
      {"loss/total", std::accumulate(progress.terms.begin(), progress.terms.end(), 0.0)}};
  for (std::size_t i = 0; i < progress.terms.size(); ++i)
    scalars.push_back({"loss/" + progress.term_names[i], progress.terms[i]});
  scalars.push_back({"training/lr", progress.lr});
  scalars.push_back({"training/images_per_s", progress.images_per_s});
  scalars.push_back({"training/data_wait_percent", 100 * progress.data_wait});
  scalars.push_back({"training/memory_gib", static_cast<double>(progress.memory) / (1 << 30)});
  return scalars;
}

std::vector<Scalar> scalars_of(const EpochResult& result) {
  std::vector<Scalar> scalars{
      {"epoch/loss", std::accumulate(result.terms.begin(), result.terms.end(), 0.0)}};
  if (!result.metrics) return scalars;
  if (result.metrics->loss) scalars.push_back({"val/loss", *result.metrics->loss});
  if (result.metrics->top1) {
    scalars.push_back({"val/top1", *result.metrics->top1});
    return scalars;
  }
  scalars.push_back({"val/map50", result.metrics->map50});
  scalars.push_back({"val/map50_95", result.metrics->map});
  scalars.push_back({"val/precision", result.metrics->precision});
  scalars.push_back({"val/recall", result.metrics->recall});
  if (const auto& goal = result.metrics->goal)
    scalars.push_back({"val/" + goal->first, goal->second});
  return scalars;
}

}  // namespace letterpress
