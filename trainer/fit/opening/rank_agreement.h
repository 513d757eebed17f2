#pragma once
#include "trainer/checkpoint/info.h"
#include "trainer/fit/opening/run.h"

namespace letterpress {

/// Of ranks that run on machines of their own: that all have the same flags (but for paths and what
/// is of a machine) and go on from the same last.safetensors, or from none. Collective. Throws
/// Error (configuration) on every rank, naming the first that differs from rank 0, and in what.
/// resumed: null for a new run.
void check_same_run(const FitOptions& options, const CheckpointInfo* resumed);
/// The same of the store's content.
void check_same_store(const Run& run);

}  // namespace letterpress
