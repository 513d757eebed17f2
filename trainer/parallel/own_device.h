#pragma once
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace letterpress {

/// Compares the ranks' devices, which must differ: NCCL does not connect two ranks on one, and
/// says so in no way that a user could act upon. device: what identifies this rank's among those of
/// all hosts, as cuda_device_id() does. Waits for the other ranks to say theirs in `store`, as long
/// as the store waits. Throws Error (configuration) naming the two ranks, on all ranks alike: rank
/// 0, which may keep the store, once all have read it.
void require_own_device(c10d::Store& store, int rank, int world_size, const std::string& device);

}  // namespace letterpress
