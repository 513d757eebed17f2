#pragma once
#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/batch.h"
#include "trainer/detection/detection.h"
#include "trainer/device/device_streams.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/metrics/detection_metrics.h"
#include "trainer/network/network.h"

namespace letterpress {

class RankGroup;

/// Told of a batch: it, where its rows are, the network's outputs. Batch::rows are places in the
/// list of pictures, -1 for padding.
using BatchWork = std::function<void(const Batch&, const std::vector<RowPlace>&,
                                     const std::vector<torch::Tensor>&)>;

struct EvaluateOptions {
  torch::Device device = torch::kCPU;  ///< where the network is
  torch::Dtype type = torch::kFloat;   ///< what the layers compute in: arithmetic_type()
  int batch = 16;                      ///< pictures at once
  int readers = 0;                     ///< reader threads; 0: min(4, cores)
  ReadBy read = ReadBy::automatic;     ///< how rows are read
  VerifyRows verify = VerifyRows::first;
  double read_deadline_s = LoaderOptions().deadline_s;  ///< as LoaderOptions'
  DetectionOptions detection{};
  std::optional<Goal> goal{};  ///< of DetectionMetrics::at_goal
  RankGroup* group =
      nullptr;  ///< ranks that share the pictures, each counted once; null: this process does all
  BatchWork also{};              ///< done with each batch, too
  std::function<bool()> stop{};  ///< asked before each batch; true ends it
  std::function<void(const RowPlace&)>
      before_read{};  ///< seam for tests: before each read, on the reader's thread
  std::function<std::unique_ptr<DeviceStreams>()>
      streams{};  ///< seam for tests: over which batches get to the device; empty: the device's own
  std::function<void(std::int64_t)> evaluated{};   ///< told how many more pictures are done
  std::function<void(const std::string&)> note{};  ///< told how rows are read, and why so
};

/// Does `work` for each batch of view 0 of this rank's part of `pictures`. The network computes in
/// eval mode, without gradients, and is left in the mode it had. False: stopped.
bool for_each_batch(Network& network, const SnapshotReader& reader,
                    const std::vector<PictureRows>& pictures, const EvaluateOptions& options,
                    const BatchWork& work);

/// Work that keeps, at a picture's place in the list, its ground truths and what a network of
/// `graph` finds. All arguments outlive it.
BatchWork keep_results(const Graph& graph, const SnapshotReader& reader,
                       const DetectionOptions& detection, std::vector<PictureResult>& results);
/// Work that keeps there the class with a classifier's largest logit.
BatchWork keep_classes(std::vector<std::int32_t>& classes);

/// Ground truths and detections of a network on view 0 of `pictures`, in their order, in pixels of
/// the source picture, clipped to it: the stored letterbox affine is inverted. Of tiles the results
/// are those of source_pictures(). Pictures of another side than the network's graph has are
/// resized on the device. With ranks: rank 0 gets all, the others what is theirs and empty results
/// for the rest. Nothing: stopped, on any rank.
std::optional<std::vector<PictureResult>> detect_pictures(Network& network,
                                                          const SnapshotReader& reader,
                                                          const std::vector<PictureRows>& pictures,
                                                          const EvaluateOptions& options);

/// Metrics of the same, on every rank; those of single classes on rank 0 only.
std::optional<DetectionMetrics> evaluate(Network& network, const SnapshotReader& reader,
                                         const std::vector<PictureRows>& pictures,
                                         const EvaluateOptions& options);

/// What a classifier gets right. One number per class.
struct ClassMetrics {
  std::vector<std::int64_t> pictures{};  ///< labelled so
  std::vector<std::int64_t> right{};     ///< of them those whose class has the largest logit
  double top1 = 0;                       ///< share of all labelled pictures that is right
};
/// The same for a classifier, the same on every rank. Pictures without a label do not count.
/// Nothing: stopped, on any rank.
std::optional<ClassMetrics> evaluate_classes(Network& network, const SnapshotReader& reader,
                                             const std::vector<PictureRows>& pictures,
                                             const EvaluateOptions& options);

/// Labelled boxes of one row in pixels of its source picture, clipped to it; of a tile, whole.
std::vector<LabelBox> source_ground_truths(const ShardReader& shard, std::int64_t row);
/// The same of the clean rows of `pictures`, as results without detections.
std::vector<PictureResult> ground_truths_of(const SnapshotReader& reader,
                                            const std::vector<PictureRows>& pictures);

}  // namespace letterpress
