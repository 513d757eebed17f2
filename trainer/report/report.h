#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trainer/fit/evaluate.h"
#include "trainer/report/opened_run.h"

namespace letterpress {

struct RunReportOptions {
  std::vector<PictureRows> pictures{};  ///< that the model is looked at on, of one split of the
                                        ///< run's reader; none: a page without figures
  std::size_t shown = 12;               ///< of the best and of the worst of them, each
  EvaluateOptions evaluate{};           ///< where the network computes, and which detections count
};

/// A run for people: one HTML page with everything in it, no script and nothing from outside.
/// Curves of results.csv; figures, curves of precision over recall and confusion on the validation
/// pictures; the best and the worst of these, with the labels' and the model's boxes; model,
/// dataset and configuration. Figures stand in attributes data-..., for programs. run: opened by
/// its folder; the page is about the checkpoint there. Throws Error (no_input) naming what the
/// folder lacks. Nothing: stopped.
std::optional<std::string> run_report(const OpenedRun& run, const std::filesystem::path& folder,
                                      const RunReportOptions& options = {});

}  // namespace letterpress
