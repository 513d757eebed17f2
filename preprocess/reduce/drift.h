#pragma once
#include "letterpress/shards/snapshot.h"

namespace letterpress {

/// How far the stored pictures have moved from those of the snapshot before; each 0 (alike) to 1.
struct Drift {
  double classes = 0;  ///< total variation distance of the shares that the classes have of all
                       ///< boxes, or of all pictures with a class of their own (class folders,
                       ///< CIFAR-10); the larger one where a set has both
  double box_sizes =
      0;  ///< the same of the histograms of box sides; 0 between frames of different sides
  double brightness = 0;  ///< difference of the mean luma (ITU-R BT.601) of train pictures, 1 is
                          ///< from black to white
  double largest() const noexcept;
};

/// Half the sum of absolute differences of shares is 0 for equal distributions, 1 for disjoint
/// ones; where one side has nothing to count it is 0.
Drift drift_between(const Statistics& before, const Statistics& now);

/// Throws Error (data) with all three values when the largest is above max_drift. generation: of
/// `before`.
void check_drift(const Drift& drift, double max_drift, std::int64_t generation);

}  // namespace letterpress
