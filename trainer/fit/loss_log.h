#pragma once
#include <torch/torch.h>

#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Loss terms of the steps since the last look, kept on the device so that no step waits for it.
class LossLog {
 public:
  /// capacity: most steps between two looks. reader outlives the log; it names the rows in messages.
  LossLog(std::vector<std::string> term_names, int capacity, torch::Device device, const SnapshotReader& reader);

  /// totals: float32 [terms + 1], as TrainingStep::update gives; rows: of the step's whole batch.
  void record(std::int64_t step, const torch::Tensor& totals, std::vector<RowPlace> rows);
  bool full() const noexcept { return steps_.size() == static_cast<std::size_t>(capacity_); }

  /// Sums over the steps recorded since the last look: terms, then the normaliser. Waits for the device. Throws Error (data) naming step,
  /// terms, the finite loss before it and the rows of the first step whose loss is not finite.
  std::vector<double> look();
  /// Per picture, all terms together, of the newest step that was looked at.
  std::optional<double> last_loss() const noexcept { return last_loss_; }

 private:
  struct Step {
    std::int64_t step;
    std::vector<RowPlace> rows;
  };
  [[noreturn]] void fail(const Step& step, const float* totals) const;

  std::vector<std::string> term_names_;
  int capacity_;
  torch::Tensor totals_;  ///< float32 [capacity, terms + 1]
  std::vector<Step> steps_;
  std::optional<double> last_loss_;
  std::int64_t last_step_ = 0;
  const SnapshotReader& reader_;
};

/// "a b.jpg (9b51….h5 row 3)" for up to `most` rows, then how many more there are. Padding is left out.
std::string name_rows(const SnapshotReader& reader, const std::vector<RowPlace>& rows, std::size_t most = 16);

}  // namespace letterpress
