// Two threads count without a lock: the thread sanitizer has to say so, whatever races.supp holds.
#include <cstdio>

#include "letterpress/base/parallel.h"

int main() {
  int count = 0;
  letterpress::parallel_for(100'000, 2, [&](std::size_t) { ++count; });
  std::printf("%d\n", count);
}
