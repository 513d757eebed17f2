#pragma once
#include <thread>

namespace letterpress {

/// From the first call on, for the whole process: libgomp's waiting threads spin long while nobody
/// else wants the cores, and shortly while somebody does. Alone, a step is fastest when threads
/// spin until its next part comes (300,000 turns, libgomp's default). Beside other programs each of
/// them takes a core from a thread that it waits for, and a step takes many times as long.
///
/// A thread looks five times a second at how long this process's threads waited for a core, and
/// holds an IdleTeam while they do. Where the kernel does not tell, it holds one always.
///
/// Does nothing where the environment says OMP_WAIT_POLICY or GOMP_SPINCOUNT, and where OpenMP is
/// not libgomp.
void limit_openmp_spins();

/// Soon after it is made and until its end, libgomp's threads spin 100 turns at each wait: it
/// counts more threads of its own than there are cores, and then cuts spins (its manual,
/// "GOMP_SPINCOUNT"). These are one more than the cores, and sleep. Does nothing where the process
/// may not have that many; where the last of them fails to start although it could a moment
/// before, libgomp ends the process.
class IdleTeam {
 public:
  IdleTeam();

 private:
  std::jthread holder_;
};

/// Seconds that this process's threads, of those that run now, have waited for a core when they
/// could have run, since they began (proc(5), schedstat). -1 where the kernel does not tell.
double waited_for_cores_s();

/// Whether there is more to run than cores, this process's own readers among it. waited: for a core
/// by all threads of this process, seconds per second. Measured on two cores, with a thread for
/// each: .6 to 1 beside one program or two, .01 to .02 alone. With more cores it is a guess.
bool cores_are_shared(double waited, int cores) noexcept;

}  // namespace letterpress
