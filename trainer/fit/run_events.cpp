#include "trainer/fit/run_events.h"

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
  if (!result.figures) return scalars;
  if (result.figures->top1) {
    scalars.push_back({"val/top1", *result.figures->top1});
    return scalars;
  }
  scalars.push_back({"val/map50", result.figures->map50});
  scalars.push_back({"val/map50_95", result.figures->map});
  scalars.push_back({"val/precision", result.figures->precision});
  scalars.push_back({"val/recall", result.figures->recall});
  return scalars;
}

}  // namespace letterpress
