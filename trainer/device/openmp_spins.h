#pragma once
#include <cstdint>
#include <thread>

namespace letterpress {

/// From the first call on, for the whole process: OpenMP's waiting threads spin long while this
/// process has its cores for itself, and shortly while other programs want them too. Alone, a step
/// is fastest when threads spin until its next part comes (300,000 turns, about 3 ms). Beside
/// others each of them takes a core from a thread that it waits for, and a step takes many times
/// as long.
///
/// threads: that compute; the last call counts. Does nothing where the environment says
/// OMP_WAIT_POLICY or GOMP_SPINCOUNT, and where OpenMP is not libgomp.
///
/// A thread looks five times a second at how long this process's threads waited for a core, and
/// holds an IdleTeam while they do.
void limit_openmp_spins(int threads);

/// While it lives, libgomp's threads spin 100 turns at each wait: it counts more threads of its own
/// than there are cores, and then cuts spins (its manual, "GOMP_SPINCOUNT"). Those that exceed the
/// cores sleep here. Does nothing where the process may not have that many threads.
class IdleTeam {
 public:
  /// threads: of the process's other team, the one that computes.
  explicit IdleTeam(int threads);

 private:
  std::jthread holder_;
};

/// Seconds that this process's threads, of those that run now, have waited for a core when they
/// could have run, since they began (proc(5), schedstat). -1 where the kernel does not tell.
double waited_for_cores_s();

/// Whether others want this process's cores. waited: for a core by all its threads, seconds per
/// second. threads: that compute. Beside one program on two cores it is .6 to .8, alone .01 to .02.
bool cores_are_shared(double waited, int threads) noexcept;

}  // namespace letterpress
