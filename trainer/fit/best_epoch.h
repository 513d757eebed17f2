#pragma once
#include "trainer/fit/opening/run.h"

namespace letterpress {

/// The monitored metric of an epoch; the loss is the sum of its terms per picture.
double monitored(const Monitor& monitor, const EpochResult& result);

/// Takes in what an epoch gave: its metrics among the last ones, whether it is the best so far
/// (returned; always without a monitor), how long the metric has not improved, and a lower learning
/// rate on a plateau, which is noted.
bool take_in(Run& run, const EpochResult& ended, const Note& note);

}  // namespace letterpress
