#include <utility>

#include "trainer/fit/evaluation/tile_results.h"
#include "trainer/report/sections.h"

namespace letterpress {

std::optional<Validation> look_at_validation(const OpenedRun& run,
                                             const RunReportOptions& options) {
  const auto [network, loss] = network_and_loss(run, options.evaluate.device);
  const Graph& graph = network->graph();
  const bool classifies = is_classifier(graph);
  const std::size_t n = options.pictures.size();
  Validation validation{.pictures = options.pictures, .losses = std::vector<PictureLoss>(n)};
  std::vector<PictureResult> of_rows(classifies ? 0 : n);
  validation.classes.resize(classifies ? n : 0);
  const BatchWork lose = keep_losses(*loss, graph.side, run.reader, validation.losses);
  const BatchWork find = classifies
                             ? keep_classes(validation.classes)
                             : keep_results(graph, run.reader, options.evaluate.detection, of_rows);
  const auto keep = [&](const Batch& batch, const std::vector<RowPlace>& places,
                        const std::vector<torch::Tensor>& outputs) {
    lose(batch, places, outputs);
    find(batch, places, outputs);
  };
  if (!for_each_batch(*network, run.reader, validation.pictures, options.evaluate, keep))
    return std::nullopt;
  if (classifies) return validation;
  validation.results = results_of_pictures(run.reader, validation.pictures, std::move(of_rows),
                                           options.evaluate.detection);
  validation.judged = judge(validation.results, graph.classes);
  validation.confidence = best_confidence(validation.judged).value_or(kDefaultConfidence);
  return validation;
}

}  // namespace letterpress
