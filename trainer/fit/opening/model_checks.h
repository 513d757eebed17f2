#pragma once
#include "letterpress/models/graph.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// Throws Error (configuration) when --multi-scale or --on-device ask for what the model cannot
/// take. A training and a dry run refuse the same.
void check_fits_model(const FitOptions& options, const Graph& graph);

}  // namespace letterpress
