#pragma once
#include "trainer/fit/options/fit_options.h"
#include "trainer/parallel/rank_assignment.h"

namespace letterpress {

/// How many ranks this process has to start and supervise: as --ranks, --gpus or --devices say, 1
/// when it trains itself. place: from the launcher's variables. Everything is checked before
/// anything starts. Throws Error: usage when the flags conflict with each other or the launcher, or
/// several ranks are to capture CUDA graphs; as device_list() does; as require_rows() does.
int ranks_to_start(const FitOptions& options, const RankAssignment& assignment, int cuda_devices);

/// The options of one rank: its device by name, and its share of the cores as threads and readers
/// where none are asked for. Throws Error (configuration) when there are more ranks on this host
/// than devices.
FitOptions options_of_rank(const FitOptions& options, const RankAssignment& assignment,
                           int cuda_devices);

/// Throws Error (configuration) when some rank would have no picture in some part of a batch.
void require_rows(const FitOptions& options, int ranks);

/// CUDA devices that this process can use.
int cuda_devices();

/// This process among those that train together; alone it is rank 0 of 1.
int rank_of(const FitOptions& options);
int world_size_of(const FitOptions& options);
bool is_first_rank(const FitOptions& options);

}  // namespace letterpress
