#include "trainer/fit/best_epoch.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

namespace letterpress {
namespace {

void keep_among_last(std::vector<std::map<std::string, double>>& last, const EpochResult& ended) {
  if (!ended.metrics) return;
  last.push_back(named_metrics(ended.metrics));
  if (last.size() > kLastEpochs) last.erase(last.begin());
}

// Per picture, all terms together.
double loss_of(const EpochResult& result) {
  return std::accumulate(result.terms.begin(), result.terms.end(), 0.0);
}

}  // namespace

double monitored(const Monitor& monitor, const EpochResult& result) {
  if (monitor.metric == "loss") return loss_of(result);
  const EpochResult::Metrics& metrics = result.metrics.value();
  if (monitor.metric == "top1") return metrics.top1.value();
  if (metrics.goal && metrics.goal->first == monitor.metric) return metrics.goal->second;
  if (monitor.metric == "map50") return metrics.map50;
  if (monitor.metric == "precision") return metrics.precision;
  return monitor.metric == "recall" ? metrics.recall : metrics.map;
}

bool take_in(Run& run, const EpochResult& ended, const Note& note) {
  keep_among_last(run.done.last_metrics, ended);
  run.done.last_epoch_loss = loss_of(ended);
  run.done.most_epoch_loss = std::max(run.done.most_epoch_loss, run.done.last_epoch_loss);
  if (ended.metrics && !ended.metrics->top1)
    run.done.most_map50 = std::max(run.done.most_map50, ended.metrics->map50);
  if (!run.monitor) return true;
  const auto& [name, higher_is_better] = *run.monitor;
  const FitOptions& options = run.options;
  RunState& done = run.done;
  const double metric = monitored(*run.monitor, ended);
  // What stalls while layers are frozen may well go on when all train.
  const bool counts = run.plan.schedule_step(ended.step) > run.schedule.frozen_steps;
  if (counts) done.stopping.improved_by(metric, higher_is_better, options.min_delta);
  if (counts && options.schedule == "plateau" &&
      done.plateau.look(metric, plateau_options(options, higher_is_better)))
    note(name + " has stalled: the learning rate falls to " + c10::str(run.rate(done.step)));
  // Until something is found the newest epoch is the best, not the first.
  const bool nothing_yet = higher_is_better && metric == 0 && done.best.value == 0.0;
  if (!done.best.improved_by(metric, higher_is_better, 0) && !nothing_yet) return false;
  done.best_epoch = ended.epoch;
  if (ended.metrics && !ended.metrics->top1) {
    done.best_map = ended.metrics->map;
    done.best_map50 = ended.metrics->map50;
  }
  return true;
}

}  // namespace letterpress
