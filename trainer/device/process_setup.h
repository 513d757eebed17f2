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
/// kLaunchOrder is set here, unless the environment says it: once there are threads, one may be
/// reading the environment.
void set_up_process();

}  // namespace letterpress
