#pragma once
#include <cstdint>

#include "tests/bench/benchmark.h"

namespace letterpress {

struct MeasureOptions {
  int threads = 1;
  std::int64_t passes =
      5;  ///< timed ones; one more goes before them, so that memory is there and caches are warm
};

/// What the passes gave.
struct Measurement {
  double items_per_s = 0;  ///< median of the passes
  double bytes_per_s = 0;  ///< 0: no such figure
};
/// After SIGINT or SIGTERM it answers at the next item, with figures that mean nothing.
Measurement measure(Benchmark& benchmark, const MeasureOptions& options);

}  // namespace letterpress
