#pragma once

namespace letterpress {

/// From now on this process may ask the kernel for memory of its own, write to `descriptor` and
/// end. All else fails with EPERM. Nothing happens where the kernel or the machine has no such
/// filter (seccomp on x86-64 and AArch64).
void leave_only_memory_and(int descriptor);

}  // namespace letterpress
