#include "trainer/checkpoint/network_weights.h"
#include "trainer/fit/part_options.h"
#include "trainer/report/sections.h"

namespace letterpress {
namespace {

/// The class with the largest logit, of each picture.
std::optional<std::vector<std::int32_t>> classes_of(Network& network, const OpenedRun& run, const std::vector<PictureRows>& pictures,
                                                    const EvaluateOptions& options) {
  std::vector<std::int32_t> classes(pictures.size(), -1);
  const auto keep = [&](const Batch& batch, const std::vector<RowPlace>&, const std::vector<torch::Tensor>& outputs) {
    const torch::Tensor found = outputs[0].argmax(1).to(torch::kCPU, torch::kInt).contiguous();
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      if (batch.rows[i] >= 0) classes[static_cast<std::size_t>(batch.rows[i])] = found.const_data_ptr<std::int32_t>()[i];
  };
  if (!for_each_batch(network, run.reader, pictures, options, keep)) return std::nullopt;
  return classes;
}

}  // namespace

std::optional<Validation> look_at_validation(const OpenedRun& run, const RunReportOptions& options) {
  const auto network = network_for_use(run.checkpoint, options.evaluate.device);
  const auto loss = make_loss(network->graph(), loss_options(run.options));
  Validation validation{.pictures = options.pictures};
  auto losses = picture_losses(*network, *loss, run.reader, validation.pictures, options.evaluate);
  if (!losses) return std::nullopt;
  validation.losses = *std::move(losses);
  if (is_classifier(network->graph())) {
    auto classes = classes_of(*network, run, validation.pictures, options.evaluate);
    if (!classes) return std::nullopt;
    validation.classes = *std::move(classes);
    return validation;
  }
  auto results = detect_pictures(*network, run.reader, validation.pictures, options.evaluate);
  if (!results) return std::nullopt;
  validation.results = *std::move(results);
  validation.judged = judge(validation.results, network->graph().classes);
  validation.confidence = best_confidence(validation.judged).value_or(0.25);
  return validation;
}

}  // namespace letterpress
