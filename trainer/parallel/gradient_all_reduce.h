#pragma once
#include <torch/torch.h>

#include <memory>

#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// Gradients of a network, summed over the ranks in buckets while backward still computes: each
/// bucket starts when its last gradient is there, in a fixed order. Which gradient lies where in
/// which bucket depends on nothing but the network, so the order of every addition, and with it
/// every bit, is the same in a run that was resumed. (c10d::Reducer lays its buckets anew after the
/// first step, by the order of arrival; from three ranks on a resumed run would then add in another
/// order. It also divides by the number of ranks, which a sum that is divided by its normaliser
/// later has no use for.)
class GradientAllReduce {
 public:
  /// Both outlive it. bucket_bytes: small buckets start early, large ones cost fewer messages.
  GradientAllReduce(RankGroup& ranks, torch::nn::Module& network,
                    std::int64_t bucket_bytes = std::int64_t{25} << 20);
  ~GradientAllReduce();
  GradientAllReduce(const GradientAllReduce&) = delete;
  GradientAllReduce& operator=(const GradientAllReduce&) = delete;

  /// The next backward gives the last gradients of the step. What was frozen or thawed since the
  /// last step is noticed here.
  void begin();
  /// Waits for the sums; they are the gradients then. Throws Error (bug) naming a parameter that
  /// got no gradient.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
