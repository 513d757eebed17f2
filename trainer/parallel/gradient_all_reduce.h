#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/named_tensor.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// All-reduces a network's gradients (sum) in buckets while backward still computes: a bucket
/// starts when its last gradient is ready, in a fixed order, with one copy of all of them. The
/// buckets depend on nothing but the network. So the order of every addition, and with it every
/// bit, is the same in a resumed run. (c10d::Reducer rebuilds its buckets after the first step by
/// the order of arrival; from a world size of three on a resumed run would add in another order. It
/// also divides by the world size, which does not fit a sum that is divided by its normaliser
/// later.)
class GradientAllReduce {
 public:
  /// ranks outlives it. parameters: of the network, in the order in which forward uses them.
  /// bucket_bytes: small buckets start early, large ones need fewer messages.
  GradientAllReduce(RankGroup& ranks, std::vector<NamedTensor> parameters,
                    std::int64_t bucket_bytes = std::int64_t{25} << 20);
  ~GradientAllReduce();
  GradientAllReduce(const GradientAllReduce&) = delete;
  GradientAllReduce& operator=(const GradientAllReduce&) = delete;

  /// The next backward gives the last gradients of the step. Notices parameters that were frozen or
  /// thawed since the last step.
  void begin();
  /// Waits for the sums, which then are the gradients. Throws Error (bug) naming a parameter that
  /// got no gradient.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
