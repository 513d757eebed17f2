#pragma once
#include <cstdint>

namespace letterpress {

struct BuildOptions;
struct Plan;
class Recipe;

/// What a planned build will take, measured on its own pictures and its own disk.
struct Estimate {
  std::int64_t bytes_needed = 0;    ///< of the new shards, tables included, from above
  std::int64_t bytes_free = 0;      ///< on the store's disk
  std::int64_t pictures_tried = 0;  ///< decoded and drawn for the measurement, spread over the plan
  double rows_per_s = 0;   ///< read, decoded and drawn by one thread; 0: nothing to measure
  double bytes_per_s = 0;  ///< the disk took, fsync included; 0: it could not be tried
  double seconds = 0;      ///< of the whole build, by these two rates; 0: unknown
};

/// options: their store need not exist yet; the nearest folder above it that does is taken. The
/// disk is tried with an unnamed temporary file (O_TMPFILE), which no listing shows and nothing has
/// to remove; where the file system has none, bytes_per_s stays 0. Takes about two seconds;
/// pictures that cannot be read are passed over.
Estimate estimate_build(const BuildOptions& options, const Plan& plan, const Recipe& recipe,
                        int threads);

}  // namespace letterpress
