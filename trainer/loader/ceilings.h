#pragma once
#include <cstdint>

#include "trainer/loader/rate.h"

namespace letterpress {

struct CeilingOptions {
  std::int64_t row_bytes = 0;
  std::int64_t rows = 1000;  ///< memory of that many rows is taken
  int batch = 32, buffers = 3;
  int threads = 1;
  int runs = 5;  ///< of which the median counts; one more goes before them
};

/// What this machine's memory allows a loader: rows per second from memory, in a random order, to a
/// ring of batches.
struct Ceilings {
  Rate copy;         ///< by memcpy
  Rate stream_copy;  ///< by our copy, which goes past the caches
  Rate float32, bfloat16;
};
/// Throws Error when there is no memory for it.
Ceilings measure_ceilings(const CeilingOptions& options);

}  // namespace letterpress
