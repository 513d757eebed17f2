#pragma once

namespace letterpress {

/// Cores that this process may run on, at least 1: the machine's, or those that taskset, Slurm,
/// mpirun or a container's cpuset bound it to. std::thread::hardware_concurrency() ignores such a
/// binding on some systems.
int available_cores() noexcept;

}  // namespace letterpress
