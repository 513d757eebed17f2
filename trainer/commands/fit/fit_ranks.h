#pragma once
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// Trains in this process, alone or as the rank that a launcher made it, or starts the ranks that
/// the options ask for and waits for them. Returns the exit code; the summary goes to stdout, once.
/// An Error of a rank begins with "rank 1 of 2, step 17: ", one of memory in any case with the
/// step.
int fit_on_ranks(const FitOptions& options, bool json);

}  // namespace letterpress
