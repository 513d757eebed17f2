#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainer/parallel/rank_assignment.h"
#include "trainer/parallel/rank_status_board.h"

namespace letterpress {

/// The ranks of one run, connected, and what they tell each other, on LibTorch's c10d: Gloo for
/// tensors on CPUs and for all small talk, NCCL for tensors on CUDA devices. Every rank calls the
/// same functions in the same order; each function waits for the others or, where it says so,
/// begins to. All ranks get the same bytes, and the same again in a run with as many ranks. A rank
/// that ended makes the calls of the others throw Error (busy) within seconds; one that hangs,
/// after ten minutes, unless the supervisor of local ranks ends it before (hanging_rank()). One
/// thread.
class RankGroup {
 public:
  /// Meets the other ranks. device: of the tensors to be summed. Throws Error (busy) when they do
  /// not come within `patience_s`, (usage) when the address is no host's or its port is taken,
  /// (configuration) for a CUDA device without NCCL.
  RankGroup(const RankAssignment& assignment, torch::Device device, double patience_s = 300);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int rank() const noexcept { return assignment_.rank; }
  int world_size() const noexcept { return assignment_.world_size; }
  bool is_first() const noexcept { return assignment_.rank == 0; }
  const RankAssignment& assignment() const noexcept { return assignment_; }

  /// From now on the rank's line of `board`, which outlives the group, shows when it waits for the
  /// others.
  void report_to(RankStatusBoard& board) noexcept { board_ = &board; }
  /// A sign in the midst of long work.
  void report_progress() const noexcept;
  /// While it lives the rank's line shows `activity`, then again what it showed before. group may
  /// be null.
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

  /// Begins: tensor <- its sum over the ranks. Dense, on the group's device; it is left alone until
  /// the answer was called, which waits for the sum (on CUDA: makes the current stream wait, not
  /// the host).
  using Wait = std::function<void()>;
  Wait start_all_reduce(torch::Tensor tensor);
  /// The same by connections of its own, at once: for sums in the middle of forward and backward,
  /// beside those that are under way.
  void all_reduce(torch::Tensor tensor);

  std::int64_t all_reduce_max(std::int64_t value);             ///< of all ranks' values
  std::string broadcast(const std::string& text);              ///< rank 0's text
  std::vector<double> broadcast(std::vector<double> numbers);  ///< rank 0's; as many on every rank
  std::vector<std::string> gather(
      const std::string& text);  ///< rank 0: every rank's, in order; other ranks: nothing
  /// tensors <- those of rank 0, in place.
  void broadcast_in_place(const std::vector<torch::Tensor>& tensors);

 private:
  struct State;
  template <class Call>
  auto ask(Call&& call) const;

  RankAssignment assignment_;
  RankStatusBoard* board_ = nullptr;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
