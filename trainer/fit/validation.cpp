#include "trainer/fit/validation.h"

#include "trainer/fit/evaluation/mean_loss.h"
#include "trainer/fit/evaluation/picture_losses.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/step/picture_feed.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

EvaluateOptions evaluate_options_of(const Run& run, const RunModel& model) {
  const LoaderOptions loading = training_loading(run.options, model.device(), rank_of(run.options),
                                                 world_size_of(run.options));
  return {.device = model.device(),
          .type = model.type(),
          .batch = loading.batch,
          .readers = loading.threads,
          .read = loading.read,
          .verify = loading.verify,
          .read_deadline_s = run.options.read_deadline,
          .before_read = run.options.hooks.before_read};
}

std::optional<EpochResult::Metrics> measure_val(const Run& run, RunModel& model,
                                                const Session& session, bool trained) {
  const SnapshotReader& reader = run.pictures.reader;
  const std::vector<PictureRows>& pictures = run.pictures.val;
  EvaluateOptions options = evaluate_options_of(run, model);
  options.group = run.options.group;
  options.stop = [&] {
    if (run.options.group) run.options.group->report_progress();
    return session.is_stopped() || (trained && session.is_out_of_time());
  };
  MeanLoss loss(model.loss(), model.graph().side, model.device());
  options.also = loss.work();
  return model.with_weights_to_use([&]() -> std::optional<EpochResult::Metrics> {
    if (is_classifier(model.graph())) {
      const auto metrics = evaluate_classes(model.network(), reader, pictures, options);
      if (!metrics) return std::nullopt;
      return EpochResult::Metrics{.top1 = metrics->top1, .loss = loss.per_picture(options.group)};
    }
    if (run.monitor) options.goal = parse_goal(run.monitor->metric);
    const auto metrics = evaluate(model.network(), reader, pictures, options);
    if (!metrics) return std::nullopt;
    EpochResult::Metrics found{.map50 = metrics->map50,
                               .map = metrics->map,
                               .precision = metrics->precision,
                               .recall = metrics->recall,
                               .loss = loss.per_picture(options.group)};
    if (options.goal) found.goal = {run.monitor->metric, metrics->at_goal};
    return found;
  });
}

std::vector<double> losses_of_rows(const Run& run, RunModel& model,
                                   const std::vector<RowPlace>& rows) {
  std::vector<PictureRows> pictures;
  for (const RowPlace& row : rows) pictures.push_back({.clean = row});
  std::vector<double> losses;
  try {
    const auto measured = picture_losses(model.network(), model.loss(), run.pictures.reader,
                                         pictures, evaluate_options_of(run, model));
    for (const PictureLoss& picture : measured.value()) losses.push_back(picture.loss);
  } catch (const std::exception&) {
    return {};
  }
  return losses;
}

}  // namespace letterpress
