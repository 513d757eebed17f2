#pragma once

namespace letterpress {

/// Whether the kernels that are compiled for these instructions run: where the processor has them,
/// unless LETTERPRESS_CPU names less (baseline, avx2) in the environment. The baseline's run on
/// every x86-64; the results are the same to the byte. Asks anew each time: a caller keeps the
/// answer.
bool runs_avx2() noexcept;
bool runs_avx512() noexcept;  ///< F and BW
bool runs_vbmi() noexcept;    ///< these and VBMI

/// For the start of a program. Throws Error (usage) when LETTERPRESS_CPU is something else than
/// `baseline` or, where the processor has it, `avx2` or `avx512`.
void check_cpu_choice();

}  // namespace letterpress
