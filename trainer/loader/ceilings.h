#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace letterpress {

/// Several measurements of one rate.
struct Rate {
  double median = 0, low = 0, high = 0;  ///< per second
};
Rate rate_of(std::vector<double> values);  ///< at least one

/// How often something is done that took so many seconds once, for a time that a busy machine's clock measures: 0.05 s or more.
std::int64_t repeats_to_last(double seconds);

struct CeilingOptions {
  std::int64_t row_bytes = 0;
  std::int64_t rows = 1000;  ///< memory of that many rows is taken
  int batch = 32, buffers = 3;
  int threads = 1;
  int runs = 5;  ///< of which the median counts; one more goes before them
};

/// What this machine's memory allows a loader: rows per second from memory, in a random order, to a ring of batches.
struct Ceilings {
  Rate copy;         ///< by memcpy
  Rate stream_copy;  ///< by our copy, which goes past the caches
  Rate float32, bfloat16;
};
/// Throws Error when there is no memory for it.
Ceilings measure_ceilings(const CeilingOptions& options);

/// Runs `work(thread, item)` for each item, by as many threads; the seconds that it took.
double seconds_of(int threads, std::int64_t items, const std::function<void(int thread, std::int64_t item)>& work);

}  // namespace letterpress
