#pragma once
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "letterpress/base/entry_info.h"
#include "letterpress/models/graph.h"
#include "trainer/batch.h"

namespace letterpress {

/// The loss of one micro-batch. The step divides the summed gradients of `sum` once by the summed
/// normaliser (at least 1), so that any world size and accumulation agree exactly.
struct LossValue {
  torch::Tensor sum;  ///< scalar of the outputs' type, float32 at least, differentiable: sum over
                      ///< the batch of all terms
  torch::Tensor normaliser;  ///< scalar of that type, 0 or more, no gradient
  std::vector<torch::Tensor>
      terms;  ///< detached scalars, summed like `sum`; named by Loss::term_names()
};

/// A training objective for the outputs of a graph. No host synchronisation: all of it is tensor
/// algebra on the batch's device. One thread at a time per object: constants move to the device at
/// the first call there.
class Loss {
 public:
  virtual ~Loss() = default;
  virtual const std::vector<std::string>& term_names() const = 0;
  /// outputs: per head float [B, channels, h, w] raw logits (LayerKind::head says of what), in
  /// Graph::outputs order
  virtual LossValue operator()(const std::vector<torch::Tensor>& outputs,
                               const Batch& batch) const = 0;
};

struct LossOptions {
  double label_smoothing = 0;  ///< 0 to under 1: this share of a class target is spread over all
                               ///< classes; for labels with errors
  std::vector<double> class_weights{};  ///< one per class, more than 0: how much its objects count
                                        ///< in the class terms; empty: 1 each
};

/// The loss that the graph names. Throws Error listing the known ones, nearest first, or naming the
/// option that does not fit the graph.
std::unique_ptr<Loss> make_loss(const Graph& graph, const LossOptions& options = {});
std::vector<EntryInfo> loss_infos();

}  // namespace letterpress
