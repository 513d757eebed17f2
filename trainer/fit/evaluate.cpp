#include "trainer/fit/evaluate.h"

#include <algorithm>

#include "trainer/detection/decode.h"
#include "trainer/detection/map_to_source.h"
#include "trainer/device/device.h"
#include "trainer/fit/device_feed.h"
#include "trainer/fit/share_results.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

/// Eval mode while it lives.
class EvalMode {
 public:
  explicit EvalMode(Network& network) : network_(network), was_training_(network.is_training()) { network_.eval(); }
  ~EvalMode() { network_.train(was_training_); }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  Network& network_;
  bool was_training_;
};

std::vector<std::vector<Detection>> detect(Network& network, const Batch& batch, const EvaluateOptions& options) {
  std::vector<torch::Tensor> outputs;
  {
    const Autocast autocast(options.device, options.bf16);
    outputs = network.forward(batch.images);
  }
  return suppress(decode_outputs(network.graph(), outputs, static_cast<int>(batch.images.size(3))), options.detection);
}

}  // namespace

std::vector<LabelBox> source_truths(const ShardReader& shard, std::int64_t row) {
  const auto [width, height] = shard.source_size(row);
  const std::span<const float> boxes = shard.boxes(row);
  std::vector<LabelBox> truths;
  for (std::int32_t i = 0; i < shard.box_count(row); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const float* box = &boxes[5 * at];
    const Detection framed{box[0], box[1], box[2], box[3], 1, static_cast<std::int32_t>(box[4])};
    const auto mapped = map_to_source({&framed, 1}, shard.letterbox(row), width, height);
    if (mapped.empty()) continue;
    const Detection& found = mapped.front();
    truths.push_back({found.x1, found.y1, found.x2, found.y2, found.class_id, shard.box_flags(row)[at], shard.box_area(row)[at]});
  }
  return truths;
}

namespace {

std::optional<std::vector<PictureResult>> detect_own(Network& network, const SnapshotReader& reader,
                                                     const std::vector<PictureRows>& pictures, const EvaluateOptions& options) {
  const torch::NoGradGuard no_gradient;
  const EvalMode eval_mode(network);
  // A larger batch would only take memory, for padding.
  const int rank = options.group ? options.group->rank() : 0, ranks = options.group ? options.group->ranks() : 1;
  const std::size_t own = (pictures.size() + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks);
  const int rows = static_cast<int>(std::min(static_cast<std::size_t>(options.batch), std::max<std::size_t>(1, own)));
  const torch::Dtype type = options.bf16 ? torch::kBFloat16 : torch::kFloat;
  LoaderOptions loading{.batch = rows, .threads = options.readers, .verify = options.verify, .read = options.read};
  load_for(options.device, type, loading);
  BatchLoader loader(reader, validation_sequence(pictures, rows, rank, ranks), 0, loading);
  DeviceFeed feed(loader, options.device, type);
  std::vector<PictureResult> results(pictures.size());
  while (const Batch* batch = feed.next()) {
    if (options.stop && options.stop()) return std::nullopt;
    const std::vector<std::int64_t> samples = batch->rows;
    const std::vector<RowPlace> places = feed.places();
    const auto found = detect(network, *batch, options);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (samples[i] < 0) continue;
      const ShardReader& shard = reader.shard(places[i].shard);
      const auto [width, height] = shard.source_size(places[i].row);
      results[static_cast<std::size_t>(samples[i])] =
          picture_result(source_truths(shard, places[i].row), map_to_source(found[i], shard.letterbox(places[i].row), width, height));
      if (options.evaluated) options.evaluated(1);
    }
  }
  return results;
}

}  // namespace

std::optional<std::vector<PictureResult>> detect_pictures(Network& network, const SnapshotReader& reader,
                                                          const std::vector<PictureRows>& pictures, const EvaluateOptions& options) {
  auto results = detect_own(network, reader, pictures, options);
  if (!options.group) return results;
  if (options.group->largest(results ? 0 : 1) != 0) return std::nullopt;
  share_results(*options.group, *results);
  return results;
}

std::optional<DetectionFigures> evaluate(Network& network, const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                                         const EvaluateOptions& options) {
  const auto results = detect_pictures(network, reader, pictures, options);
  if (!results) return std::nullopt;
  if (!options.group) return evaluate_detections(*results, network.graph().classes);
  DetectionFigures all;
  if (options.group->is_first()) all = evaluate_detections(*results, network.graph().classes);
  const std::vector<double> shared =
      options.group->from_first(std::vector<double>{all.map, all.map50, all.map75, all.precision, all.recall, all.best_confidence});
  return DetectionFigures{.map = shared[0],
                          .map50 = shared[1],
                          .map75 = shared[2],
                          .precision = shared[3],
                          .recall = shared[4],
                          .best_confidence = shared[5],
                          .classes = all.classes};
}

}  // namespace letterpress
