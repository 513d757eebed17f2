#pragma once
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "letterpress/base/cores.h"
#include "letterpress/base/parallel.h"

namespace letterpress {

/// Runs `work` with that many threads of TBB, the caller's among them; 0: one per core that the
/// process may run on. Throws Error (io) where the system lets no such number be started.
template <class Work>
auto with_threads(int threads, Work work) -> decltype(work()) {
  const int n = threads > 0 ? threads : available_cores();
  require_threads(n);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(n));
  tbb::task_arena arena(n);
  return arena.execute(work);
}

}  // namespace letterpress
