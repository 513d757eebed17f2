// The figures of an epoch.
#include "letterpress/commandline/program.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/trainer_state.h"

namespace letterpress {

EvaluateOptions Trainer::State::evaluating() const {
  return {.device = device_,
          .type = type_,
          .batch = loader_->shape().batch,
          .readers = options_.readers,
          .read = read_by_from(options_.read),
          .verify = verify_rows_from(options_.verify)};
}

std::optional<EpochResult::Metrics> Trainer::State::metrics_of_val() {
  EvaluateOptions evaluating = this->evaluating();
  evaluating.read_deadline_s = options_.read_deadline;
  evaluating.group = options_.group;
  evaluating.stop = [this] {
    if (options_.group) options_.group->report_progress();
    // Resumed with only validation left, it would never get on otherwise.
    return stop_signal() != 0 || (session_steps_ > 0 && is_out_of_time());
  };
  evaluating.before_read = options_.before_read;
  return model_->with_weights_to_use([&]() -> std::optional<EpochResult::Metrics> {
    if (is_classifier(model_->network().graph())) {
      const auto metrics = evaluate_classes(model_->network(), reader_, val_, evaluating);
      return metrics ? std::optional(EpochResult::Metrics{.top1 = metrics->top1}) : std::nullopt;
    }
    const auto metrics = evaluate(model_->network(), reader_, val_, evaluating);
    return metrics ? std::optional(EpochResult::Metrics{metrics->map50, metrics->map,
                                                        metrics->precision, metrics->recall})
                   : std::nullopt;
  });
}

}  // namespace letterpress
