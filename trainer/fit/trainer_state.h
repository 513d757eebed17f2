#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "letterpress/base/clock.h"
#include "letterpress/base/file.h"
#include "letterpress/events/event_file.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/fit/log/loss_log.h"
#include "trainer/fit/log/progress_line.h"
#include "trainer/fit/opening/epoch_plan.h"
#include "trainer/fit/opening/run_state.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/options/monitor.h"
#include "trainer/fit/options/multi_scale.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/fit/trainer.h"
#include "trainer/metrics/detection_metrics.h"
#include "trainer/parallel/rank_group.h"
#include "trainer/schedules/schedule.h"

namespace letterpress {
struct EvaluateOptions;

/// What a run works on and how far it is. trainer_setup.cpp opens it all, trainer.cpp trains,
/// follow.cpp changes its pictures.
struct Trainer::State {
  explicit State(const FitOptions& wanted);

  FitResult run();
  FitResult train();

 private:
  Graph prepare_model();
  std::string configuration() const;
  void set_up_sides(const Graph& graph);
  void set_up_on_device();
  void prepare_data();
  void train_step();
  void freeze_or_thaw();
  void look();
  std::vector<double> look_at_device();
  std::vector<double> losses_of(const std::vector<RowPlace>& rows);
  void check_skipped(std::int64_t steps);
  void draw(std::int64_t step, const std::vector<Scalar>& scalars);
  bool end_epoch();
  bool take_metric(const EpochResult& ended);
  bool is_stalled() const {
    return options_.patience > 0 && done_.stopping.stalled >= options_.patience;
  }
  bool is_out_of_time() const;
  void note_memory();
  int side_of_next_step() const;
  Batch step_input(const Batch& prepared, std::int64_t first) const;
  FitResult stop_out_of_time();
  FitResult stop_early(Ending ending, const std::string& why);
  void write_epoch();
  EvaluateOptions evaluating() const;  // as this run computes and reads
  std::optional<EpochResult::Metrics> metrics_of_val();
  void agree_on(EpochResult& ended);
  int agreed_stop();
  void note_epoch(const EpochResult& result, double epoch_s);
  void write(const std::string& name, bool for_training);
  void write_last();
  void renew_pin();
  void open_pictures();
  bool follow();
  void take_up(SnapshotReader next);
  void plan_epochs();
  void pin_snapshots();
  FitResult result(Ending ending) const;
  std::int64_t skipped_steps() const { return skipped_before_ + model_->skipped_steps(); }
  // A plateau's drops end with that schedule: a run may go on with another one.
  double lr_of(std::int64_t step) const {
    return (options_.schedule == "plateau" ? done_.plateau.reduction : 1) *
           schedule_.rate(plan_.schedule_step(step));
  }
  /// Of the run, earlier sessions included.
  double elapsed_s() const { return elapsed_before_s_ + seconds_since(session_begin_); }
  /// Of several ranks only the first speaks and writes.
  bool is_first() const { return !options_.group || options_.group->is_first(); }
  void note(const std::string& text) {
    if (is_first()) options_.note ? options_.note(text) : line_.note(text);
  }
  Snapshot agreed_snapshot();
  Graph begin_model(const Graph* init);

  FitOptions options_;
  ProgressLine line_;
  std::optional<FileLock> lock_;
  std::optional<Checkpoint> resumed_;
  torch::Device device_;
  torch::Dtype type_;
  Store store_;
  SnapshotReader reader_;
  std::map<std::int64_t, Pin> pins_;  ///< by generation
  std::vector<PictureRows> train_, val_;
  std::int64_t replayed_ =
      0;  ///< how many of train_, the last ones, are known from an earlier snapshot
  std::int64_t left_alone_ = 0;  ///< newest snapshot that could not be taken up
  EpochPlan plan_;
  RunSchedule schedule_;
  std::optional<SideRange> sides_;
  std::vector<const BatchAugmentation*> on_device_;
  double fill_ = 0;  ///< grey beside the pictures, 0..1
  std::set<std::string> frozen_layers_;
  std::optional<bool> frozen_now_;
  std::optional<Monitor> monitor_;
  RunState done_;
  std::unique_ptr<RunModel> model_;
  std::unique_ptr<BatchLoader> loader_;
  std::unique_ptr<DeviceFeed> feed_;
  std::unique_ptr<LossLog> log_;
  std::unique_ptr<ResultsCsv> results_;
  std::unique_ptr<EventFile> events_;
  std::optional<EpochResult::Metrics> metrics_;
  int memory_side_ = 0;   ///< of the step that note_memory() told of
  bool replays_ = false;  ///< that step was a replay
  int stop_ = 0;          ///< all ranks stop: 0, kOutOfTime or a signal

  std::chrono::steady_clock::time_point session_begin_ = std::chrono::steady_clock::now(),
                                        window_begin_ = session_begin_,
                                        checkpointed_ = session_begin_;
  double elapsed_before_s_ = 0, window_waited_s_ = 0, validation_s_ = 0;
  std::int64_t window_steps_ = 0, session_steps_ = 0, checkpointed_step_ = 0, skipped_before_ = 0,
               skipped_at_look_ = 0, skipped_in_row_ = 0;
  double session_train_s_ = 0;
};

}  // namespace letterpress
