#pragma once
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "trainer/parallel/rank_assignment.h"

namespace letterpress {

/// What connects the ranks of a run. Each kind of call has connections of its own, so that those
/// of one kind do not wait for those of another.
struct RankConnections {
  c10::intrusive_ptr<c10d::Store> store{};     ///< where the ranks meet
  c10::intrusive_ptr<c10d::Backend> talk{};    ///< small messages, between CPUs
  c10::intrusive_ptr<c10d::Backend> sums{};    ///< all-reduces of gradients
  c10::intrusive_ptr<c10d::Backend> within{};  ///< all-reduces within forward and backward
};

/// Connects to the other ranks, as RankGroup's constructor does.
RankConnections connect_ranks(const RankAssignment& assignment, torch::Device device,
                              double patience_s);

/// Ends them one after the other, the last made first and the store at the end: all ranks shut down
/// NCCL's connections together, in one order, and ask the store for that. lost: a rank has ended,
/// so that shutting down would wait for it; they are only let go of.
void disconnect(RankConnections& connections, bool lost) noexcept;

}  // namespace letterpress
