#pragma once

namespace letterpress {

/// Whether the kernels that are compiled for these instructions are used: they are if the processor
/// has the instructions, unless the environment's LETTERPRESS_CPU names a smaller set (baseline,
/// avx2). The baseline kernels run on every x86-64; the results are the same to the byte. Not
/// cached: a caller keeps the result.
bool runs_avx2() noexcept;
bool runs_avx512() noexcept;  ///< F and BW

/// For the start of a program. Throws Error (usage) when LETTERPRESS_CPU is not
/// `baseline` or, if the processor has it, `avx2` or `avx512`.
void check_cpu_choice();

}  // namespace letterpress
