#pragma once
#include <torch/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Loss terms of the steps since the last flush, kept on the device so that no step waits for it.
class LossLog {
 public:
  /// capacity: most steps between two flushes. reader outlives the log; it names the rows in
  /// messages.
  LossLog(std::vector<std::string> term_names, int capacity, torch::Device device,
          const SnapshotReader& reader);

  /// Losses of single pictures, asked when a step fails so that the worst are named first. No row
  /// is padding. Empty where they cannot be had.
  using LossesOfRows = std::function<std::vector<double>(const std::vector<RowPlace>&)>;
  void order_by(LossesOfRows losses_of) { losses_of_ = std::move(losses_of); }

  /// totals: float32 [terms + 2], as TrainingStep::update gives; rows: of the step's whole batch.
  void record(std::int64_t step, const torch::Tensor& totals, std::vector<RowPlace> rows);
  bool full() const noexcept { return steps_.size() == static_cast<std::size_t>(capacity_); }

  /// Sums over the steps recorded since the last flush: terms, then the normaliser. Waits for the
  /// device. Throws Diverged naming step, terms, the finite loss before it and the rows of the
  /// first step whose loss is not finite, the worst first.
  std::vector<double> flush();
  /// Takes in the steps of the last flush: how many steps in a row, `before` of them until then,
  /// had objects none of which became a target. Steps without objects change nothing.
  std::int64_t steps_without_target(std::int64_t before) const;
  /// Per picture, all terms together, of the newest step that was flushed.
  std::optional<double> last_loss() const noexcept { return last_loss_; }
  /// The same of the run's first step, by the weights that it began with; none: not seen here.
  std::optional<double> first_loss() const noexcept { return first_loss_; }
  /// "its rows, the worst first: a b.jpg (9b51….h5 row 3) inf, ..." of that step.
  std::string name_last_rows() const { return name_worst(last_rows_); }

 private:
  struct Step {
    std::int64_t step;
    std::vector<RowPlace> rows;
  };
  std::string name_worst(const std::vector<RowPlace>& rows) const;
  [[noreturn]] void fail(const Step& step, const float* totals) const;

  std::vector<std::string> term_names_;
  int capacity_;
  torch::Tensor totals_;  ///< float32 [capacity, terms + 2]
  std::vector<Step> steps_;
  std::vector<float> objects_;  ///< of the steps of the last flush, as TrainingStep::update gives
  std::optional<double> first_loss_, last_loss_;
  std::int64_t last_step_ = 0;
  std::vector<RowPlace> last_rows_;
  LossesOfRows losses_of_;
  const SnapshotReader& reader_;
};

/// "a b.jpg (9b51….h5 row 3)" for up to `most` rows, then how many more there are. Padding is left
/// out. losses: of each row, to be named too; empty: none.
std::string name_rows(const SnapshotReader& reader, const std::vector<RowPlace>& rows,
                      const std::vector<double>& losses = {}, std::size_t most = 16);

}  // namespace letterpress
