#pragma once
#include <cstdint>

#include "trainer/loader/rates/rate.h"

namespace letterpress {

struct CeilingOptions {
  std::int64_t row_bytes = 0;
  std::int64_t rows = 1000;  ///< allocates memory for that many rows
  int batch = 32, buffers = 3;
  int threads = 1;
  int runs = 5;  ///< their median counts; one more goes before them
};

/// The most that this machine's memory allows a loader: rows per second from memory, in random
/// order, to a ring of batches.
struct Ceilings {
  Rate copy;         ///< by memcpy
  Rate stream_copy;  ///< by our copy, which bypasses the caches
  Rate float32, bfloat16;
};
/// Throws Error when there is no memory for it.
Ceilings measure_ceilings(const CeilingOptions& options);

}  // namespace letterpress
