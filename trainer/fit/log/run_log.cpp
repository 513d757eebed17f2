#include "trainer/fit/log/run_log.h"

#include <cstdio>
#include <numeric>

#include "letterpress/base/error.h"
#include "trainer/fit/log/run_scalars.h"
#include "trainer/fit/options/ranks_of_run.h"

namespace letterpress {
namespace {

std::string epoch_text(const EpochResult& result, int epochs, double epoch_s) {
  char text[256];
  std::snprintf(text, sizeof text,
                "epoch %lld/%d: loss %.4g, %.1f images/s, data_wait %.1f %%, %.0f s",
                static_cast<long long>(result.epoch), epochs,
                std::accumulate(result.terms.begin(), result.terms.end(), 0.0), result.images_per_s,
                100 * result.data_wait, epoch_s);
  std::string line = text;
  if (!result.metrics) return line;
  const EpochResult::Metrics& metrics = *result.metrics;
  if (metrics.top1) {
    std::snprintf(text, sizeof text, ", top-1 %.4f", *metrics.top1);
  } else {
    std::snprintf(text, sizeof text, ", mAP50 %.4f, mAP50-95 %.4f, precision %.3f, recall %.3f",
                  metrics.map50, metrics.map, metrics.precision, metrics.recall);
  }
  line += text;
  if (metrics.goal) {
    std::snprintf(text, sizeof text, " %.4f", metrics.goal->second);
    line += ", " + metrics.goal->first + text;
  }
  return line;
}

std::string goal_name(const Run& run) {
  return run.monitor && parse_goal(run.monitor->metric) ? run.monitor->metric : "";
}

}  // namespace

RunLog::RunLog(const Run& run, std::vector<std::string> term_names, bool of_classifier,
               RunNotes& notes)
    : notes_(notes), epochs_(run.options.epochs) {
  if (!is_first_rank(run.options)) return;
  results_.emplace(run.options.out / "results.csv", std::move(term_names), run.done.epochs_done,
                   of_classifier, goal_name(run));
  events_.emplace(run.options.out / "tensorboard", run.done.step);
}

void RunLog::show(const FitProgress& progress) {
  notes_.show(progress);
  write_scalars(progress.step, scalars_of(progress));
}

void RunLog::append(const EpochResult& result, double epoch_s, std::int64_t skipped_steps) {
  std::string text = epoch_text(result, epochs_, epoch_s);
  if (skipped_steps > 0) {
    text += "; " + std::to_string(skipped_steps) +
            " steps so far changed nothing, their gradients were not finite";
  }
  notes_(text);
  if (results_) results_->append(result);
  write_scalars(result.step, scalars_of(result));
}

// Curves are for the eye: no run ends for them.
void RunLog::write_scalars(std::int64_t step, const std::vector<Scalar>& scalars) {
  if (!events_) return;
  try {
    events_->append(step, scalars);
  } catch (const Error& error) {
    events_.reset();
    notes_(std::string("TensorBoard gets no more curves of this session: ") + error.what());
  }
}

}  // namespace letterpress
