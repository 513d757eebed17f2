#pragma once
#include <cstdint>

#include "letterpress/base/stop_request.h"
#include "tests/bench/benchmark.h"

namespace letterpress {

struct MeasureOptions {
  int threads = 1;
  /// Timed passes. One more goes before them, which allocates memory and warms the caches.
  std::int64_t passes = 5;
};

/// The result of the passes.
struct Measurement {
  double items_per_s = 0;  ///< median of the passes
  double bytes_per_s = 0;  ///< 0: no GB/s
};
/// Once a stop is requested, returns before the next item, with meaningless numbers.
Measurement measure(Benchmark& benchmark, const MeasureOptions& options, const StopRequest& stop);

}  // namespace letterpress
