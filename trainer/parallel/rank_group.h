#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainer/parallel/rank_assignment.h"
#include "trainer/parallel/rank_status_board.h"

namespace c10d {
class Backend;
}

namespace letterpress {

struct RankConnections;

/// The connected ranks of one run and their collective calls, on LibTorch's c10d: Gloo for tensors
/// on CPUs and for small messages, NCCL for tensors on CUDA devices. Every rank calls the same
/// functions in the same order; each waits for the others unless it says otherwise. All ranks get
/// the same bytes, and the same again in a run of the same world size. When a rank has ended, the
/// calls of the others throw Error (busy) within seconds; when it hangs, after ten minutes, unless
/// the supervisor of local ranks kills it before, or a RankWatch notices (hanging_rank()). One
/// thread.
class RankGroup {
 public:
  /// Connects to the other ranks. device: of the tensors to all-reduce. Throws Error (busy) when
  /// they do not connect within `patience_s`, (usage) when the address is not a host's or its port
  /// is taken, (configuration) for a CUDA device without NCCL.
  RankGroup(const RankAssignment& assignment, torch::Device device, double patience_s);
  /// Over connections that were made.
  RankGroup(const RankAssignment& assignment, torch::Device device, RankConnections connections);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int rank() const noexcept { return assignment_.rank; }
  int world_size() const noexcept { return assignment_.world_size; }
  bool is_first() const noexcept { return assignment_.rank == 0; }
  const RankAssignment& assignment() const noexcept { return assignment_; }

  /// From now on the rank reports its activity to `board`, which outlives the group; four times a
  /// second its CUDA device's, too.
  void report_to(RankStatusBoard& board);
  /// Whether the host queues work for a device, and so gets ahead of what is computed.
  bool runs_ahead() const noexcept;
  /// Within long work.
  void report_progress() const noexcept;
  /// Reports `activity` while it lives, then again the activity before. group may be null.
  class ScopedActivity {
   public:
    ScopedActivity(const RankGroup* group, RankActivity activity) noexcept;
    ~ScopedActivity();
    ScopedActivity(const ScopedActivity&) = delete;
    ScopedActivity& operator=(const ScopedActivity&) = delete;

   private:
    const RankGroup* group_;
    RankActivity before_ = RankActivity::unreported;
  };

  /// Begins tensor <- its sum over the ranks. Dense, on the group's device. Do not use the tensor
  /// before the returned function was called, which waits for the sum (on CUDA: makes the current
  /// stream wait, not the host).
  using Wait = std::function<void()>;
  Wait start_all_reduce(torch::Tensor tensor);
  /// The same on connections of its own: for sums in the middle of forward and backward, beside
  /// pending ones. Both kinds are begun in the same order on all ranks.
  Wait start_all_reduce_within(torch::Tensor tensor);

  std::int64_t all_reduce_max(std::int64_t value);  ///< the largest of all ranks' values
  /// The same of each of them; the same count on every rank.
  std::vector<std::int64_t> all_reduce_max(std::vector<std::int64_t> values);
  std::string broadcast(const std::string& text);  ///< returns rank 0's text
  std::vector<double> broadcast(
      std::vector<double> numbers);  ///< returns rank 0's; the same count on every rank
  /// Returns on rank 0 every rank's text, in order; on other ranks nothing.
  std::vector<std::string> gather(const std::string& text);
  /// tensors <- rank 0's, in place.
  void broadcast_in_place(const std::vector<torch::Tensor>& tensors);

 private:
  struct State;
  template <class Call>
  auto ask(Call&& call) const;
  Wait start_on(c10d::Backend& connections, torch::Tensor tensor);

  RankAssignment assignment_;
  RankStatusBoard* board_ = nullptr;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
