#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace letterpress {

/// The larger of two differences; once one is not a number, it stays so.
inline double further(double furthest, double difference) {
  return furthest >= difference || std::isnan(furthest) ? furthest : difference;
}

/// Checks that a number of ours is no further from another program's than `allowed`, and says how
/// far in a line that scripts/agreement.py gathers from a run of the tests. tests/agreement.py is
/// its twin.
inline void check_agreement(const std::string& program, const std::string& what, double difference,
                            double allowed) {
  std::printf("agreement | %s | %s | %.1e | %.0e\n", program.c_str(), what.c_str(), difference,
              allowed);
  std::fflush(stdout);
  CHECK_MESSAGE(difference <= allowed, program, ": ", what);
}

}  // namespace letterpress
