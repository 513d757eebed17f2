#include "trainer/fit/evaluation/evaluate.h"

#include <algorithm>
#include <numeric>

#include "trainer/augment/resize.h"
#include "trainer/detection/decode.h"
#include "trainer/detection/map_to_source.h"
#include "trainer/detection/merge_tiles.h"
#include "trainer/device/device.h"
#include "trainer/fit/evaluation/share_results.h"
#include "trainer/fit/evaluation/tile_results.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

/// Eval mode while it lives.
class EvalMode {
 public:
  explicit EvalMode(Network& network) : network_(network), was_training_(network.is_training()) {
    network_.eval();
  }
  ~EvalMode() { network_.train(was_training_); }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  Network& network_;
  bool was_training_;
};

std::vector<torch::Tensor> outputs_of(Network& network, const Batch& batch,
                                      const EvaluateOptions& options) {
  const Autocast autocast(options.device, options.type);
  return network.forward(resize(batch.images, network.graph().side));
}

}  // namespace

bool for_each_batch(Network& network, const SnapshotReader& reader,
                    const std::vector<PictureRows>& pictures, const EvaluateOptions& options,
                    const BatchWork& work) {
  const torch::NoGradGuard no_gradient;
  const EvalMode eval_mode(network);
  // A larger batch would only take memory, for padding.
  const int rank = options.group ? options.group->rank() : 0,
            ranks = options.group ? options.group->world_size() : 1;
  const std::size_t own =
      (pictures.size() + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks);
  const int rows = static_cast<int>(
      std::min(static_cast<std::size_t>(options.batch), std::max<std::size_t>(1, own)));
  LoaderOptions loading{.batch = rows,
                        .threads = options.readers,
                        .verify = options.verify,
                        .read = options.read,
                        .deadline_s = options.read_deadline_s,
                        .before_read = options.before_read};
  if (!options.streams) load_for(options.device, options.type, loading);
  BatchLoader loader(reader, validation_sequence(pictures, rows, rank, ranks), 0, loading);
  if (options.note) options.note(to_string(loader.read_choice()));
  DeviceFeed feed = options.streams
                        ? DeviceFeed(loader, options.device, options.type, options.streams())
                        : DeviceFeed(loader, options.device, options.type);
  while (const Batch* batch = feed.next()) {
    if (options.stop && options.stop()) return false;
    const std::vector<torch::Tensor> outputs = outputs_of(network, *batch, options);
    feed.prefetch();  // while the device computes
    work(*batch, feed.places(), outputs);
    if (options.also) options.also(*batch, feed.places(), outputs);
    for (std::int64_t row : batch->rows) {
      if (row >= 0 && options.evaluated) options.evaluated(1);
    }
  }
  return true;
}

namespace {

// Of a tile: as labelled in the picture, with what the tile's edges cut off.
std::vector<LabelBox> with_corners(std::vector<LabelBox> boxes, std::span<const float> corners) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    LabelBox& box = boxes[i];
    box.x1 = corners[4 * i];
    box.y1 = corners[4 * i + 1];
    box.x2 = corners[4 * i + 2];
    box.y2 = corners[4 * i + 3];
    box.flags &= static_cast<std::uint8_t>(~kCut);
  }
  return boxes;
}

}  // namespace

std::vector<LabelBox> source_ground_truths(const ShardReader& shard, std::int64_t row) {
  if (const std::span<const float> whole = shard.whole_boxes(row); !whole.empty())
    return with_corners(shard.label_boxes(row), whole);
  const auto [width, height] = shard.source_size(row);
  std::vector<LabelBox> ground_truths;
  for (const LabelBox& box : shard.label_boxes(row)) {
    const Detection framed{box.x1, box.y1, box.x2, box.y2, 1, box.class_id};
    const auto mapped = map_to_source({&framed, 1}, shard.letterbox(row), width, height);
    if (mapped.empty()) continue;
    const Detection& found = mapped.front();
    ground_truths.push_back(
        {found.x1, found.y1, found.x2, found.y2, found.class_id, box.flags, box.area});
  }
  return ground_truths;
}

std::vector<PictureResult> ground_truths_of(const SnapshotReader& reader,
                                            const std::vector<PictureRows>& pictures) {
  std::vector<PictureResult> results;
  for (const PictureRows& picture : pictures)
    results.push_back(picture_result(
        source_ground_truths(reader.shard(picture.clean.shard), picture.clean.row), {}));
  return results;
}

BatchWork keep_results(const Graph& graph, const SnapshotReader& reader,
                       const DetectionOptions& detection, std::vector<PictureResult>& results) {
  return [&, of_row = holds_tiles(reader) ? before_merging(detection) : detection](
             const Batch& batch, const std::vector<RowPlace>& places,
             const std::vector<torch::Tensor>& outputs) {
    const double scale =
        static_cast<double>(graph.side) / static_cast<double>(batch.images.size(3));
    const Affine stored_to_network{{scale, 0, 0, 0, scale, 0}};
    const Candidates candidates = decode_outputs(graph, outputs, graph.side);
    const std::vector<std::vector<Detection>> found = suppress(candidates, of_row);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      if (batch.rows[i] < 0) continue;
      const ShardReader& shard = reader.shard(places[i].shard);
      const auto [width, height] = shard.source_size(places[i].row);
      const Affine letterbox = stored_to_network * shard.letterbox(places[i].row);
      results[static_cast<std::size_t>(batch.rows[i])] =
          picture_result(source_ground_truths(shard, places[i].row),
                         map_to_source(found[i], letterbox, width, height));
    }
  };
}

namespace {

torch::Tensor found_classes(const std::vector<torch::Tensor>& outputs) {
  return outputs[0].argmax(1);
}

}  // namespace

BatchWork keep_classes(std::vector<std::int32_t>& classes) {
  return [&](const Batch& batch, const std::vector<RowPlace>&,
             const std::vector<torch::Tensor>& outputs) {
    const torch::Tensor found = found_classes(outputs).to(torch::kCPU, torch::kInt).contiguous();
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      if (batch.rows[i] >= 0)
        classes[static_cast<std::size_t>(batch.rows[i])] = found.const_data_ptr<std::int32_t>()[i];
  };
}

std::optional<std::vector<PictureResult>> detect_pictures(Network& network,
                                                          const SnapshotReader& reader,
                                                          const std::vector<PictureRows>& pictures,
                                                          const EvaluateOptions& options) {
  std::vector<PictureResult> results(pictures.size());
  const BatchWork keep = keep_results(network.graph(), reader, options.detection, results);
  const bool complete = for_each_batch(network, reader, pictures, options, keep);
  if (options.group && options.group->all_reduce_max(complete ? 0 : 1) != 0) return std::nullopt;
  if (!complete) return std::nullopt;
  if (options.group) share_results(*options.group, results);
  return results_of_pictures(reader, pictures, std::move(results), options.detection);
}

std::optional<DetectionMetrics> evaluate(Network& network, const SnapshotReader& reader,
                                         const std::vector<PictureRows>& pictures,
                                         const EvaluateOptions& options) {
  const auto results = detect_pictures(network, reader, pictures, options);
  if (!results) return std::nullopt;
  const int classes = network.graph().classes;
  if (!options.group) return evaluate_detections(*results, classes, options.goal);
  DetectionMetrics all;
  if (options.group->is_first()) all = evaluate_detections(*results, classes, options.goal);
  const std::vector<double> shared = options.group->broadcast(std::vector<double>{
      all.map, all.map50, all.map75, all.precision, all.recall, all.best_confidence, all.at_goal});
  return DetectionMetrics{.map = shared[0],
                          .map50 = shared[1],
                          .map75 = shared[2],
                          .precision = shared[3],
                          .recall = shared[4],
                          .best_confidence = shared[5],
                          .at_goal = shared[6],
                          .classes = all.classes};
}

std::optional<ClassMetrics> evaluate_classes(Network& network, const SnapshotReader& reader,
                                             const std::vector<PictureRows>& pictures,
                                             const EvaluateOptions& options) {
  // Row 0: pictures of each class; row 1: those of them that are right. On the device until the
  // end.
  torch::Tensor counts = torch::zeros({2, network.graph().classes},
                                      torch::TensorOptions(torch::kDouble).device(options.device));
  const auto count = [&](const Batch& batch, const std::vector<RowPlace>&,
                         const std::vector<torch::Tensor>& outputs) {
    const torch::Tensor label = batch.label.clamp_min(0),
                        counted = (batch.label >= 0).logical_and_(batch.weight > 0);
    const torch::Tensor right = found_classes(outputs).eq(label).logical_and_(counted);
    counts[0].scatter_add_(0, label, counted.to(torch::kDouble));
    counts[1].scatter_add_(0, label, right.to(torch::kDouble));
  };
  const bool complete = for_each_batch(network, reader, pictures, options, count);
  if (options.group && options.group->all_reduce_max(complete ? 0 : 1) != 0) return std::nullopt;
  if (!complete) return std::nullopt;
  if (options.group) options.group->start_all_reduce(counts)();
  const torch::Tensor all = counts.to(torch::kCPU, torch::kLong).contiguous();
  ClassMetrics metrics;
  const auto classes = static_cast<std::size_t>(network.graph().classes);
  const std::int64_t* numbers = all.const_data_ptr<std::int64_t>();
  metrics.pictures.assign(numbers, numbers + classes);
  metrics.right.assign(numbers + classes, numbers + 2 * classes);
  const double total = static_cast<double>(
      std::accumulate(metrics.pictures.begin(), metrics.pictures.end(), std::int64_t{0}));
  const double right = static_cast<double>(
      std::accumulate(metrics.right.begin(), metrics.right.end(), std::int64_t{0}));
  metrics.top1 = total > 0 ? right / total : 0;
  return metrics;
}

}  // namespace letterpress
