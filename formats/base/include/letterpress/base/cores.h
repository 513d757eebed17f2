#pragma once

namespace letterpress {

/// Cores that this process may run on, at least 1: the machine's, or those that taskset, Slurm,
/// mpirun or a container's cpuset bound it to, which std::thread::hardware_concurrency() does not
/// heed everywhere.
int available_cores() noexcept;

}  // namespace letterpress
