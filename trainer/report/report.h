#pragma once
#include <optional>
#include <string>

#include "trainer/report/opened_run.h"
#include "trainer/report/report_options.h"

namespace letterpress {

/// A run as one self-contained HTML page without scripts: curves of results.csv; metrics, precision
/// over recall and confusion on the validation pictures; the best and the worst of these with the
/// labels' and the model's boxes; model, dataset and configuration. Programs find the metrics in
/// attributes data-.... run: opened by its folder; the page is about the checkpoint there. Throws
/// Error (no_input) naming what the folder lacks. Returns nothing when stopped.
std::optional<std::string> run_report(const OpenedRun& run, const std::filesystem::path& folder,
                                      const RunReportOptions& options = {});

}  // namespace letterpress
