#pragma once

namespace letterpress {

/// The variable that makes NCCL start the kernels of all connections in the order of the calls.
/// NCCL reads it when a process makes its first connection.
inline constexpr const char* kLaunchOrder = "NCCL_LAUNCH_ORDER_IMPLICIT";

/// For the start of a command that computes on tensors, before it has threads; for the whole
/// process.
///
/// Freed memory stays with the process: every step takes the same again, and pages that the kernel
/// must clear anew cost a CPU's step a tenth of its time.
///
/// OpenMP's threads sleep soon instead of spinning while they wait: a spinning thread takes a core
/// from those it waits for once anything else runs there. libgomp reads how long from the
/// environment, when it is loaded, so the program is started once more in its own place: the same
/// process, words and open files. An environment that says OMP_WAIT_POLICY or GOMP_SPINCOUNT is
/// left as it is.
///
/// kLaunchOrder is set here, unless the environment says it: once there are threads, one may be
/// reading the environment.
void set_up_process();

}  // namespace letterpress
