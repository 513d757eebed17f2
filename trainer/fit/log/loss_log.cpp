#include "trainer/fit/log/loss_log.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "trainer/fit/opening/diverged.h"

namespace letterpress {

LossLog::LossLog(std::vector<std::string> term_names, int capacity, torch::Device device,
                 const SnapshotReader& reader)
    : term_names_(std::move(term_names)), capacity_(capacity), reader_(reader) {
  totals_ = torch::zeros({capacity, static_cast<std::int64_t>(term_names_.size()) + 2},
                         torch::TensorOptions(torch::kFloat).device(device));
}

void LossLog::record(std::int64_t step, const torch::Tensor& totals, std::vector<RowPlace> rows) {
  totals_.select(0, static_cast<std::int64_t>(steps_.size())).copy_(totals);
  steps_.push_back({step, std::move(rows)});
}

std::vector<double> LossLog::flush() {
  const torch::Tensor totals = totals_.to(torch::kCPU, torch::kFloat).contiguous();
  const std::size_t columns = term_names_.size() + 1;
  std::vector<double> sums(columns, 0.0);
  objects_.clear();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const float* row = totals.const_data_ptr<float>() + i * (columns + 1);
    if (!std::all_of(row, row + columns, [](float value) { return std::isfinite(value); }))
      fail(steps_[i], row);
    for (std::size_t column = 0; column < columns; ++column)
      sums[column] += static_cast<double>(row[column]);
    last_loss_ =
        std::accumulate(row, row + columns - 1, 0.0) / static_cast<double>(row[columns - 1]);
    last_step_ = steps_[i].step;
    if (last_step_ == 1) first_loss_ = last_loss_;
    objects_.push_back(row[columns]);
  }
  if (!steps_.empty()) last_rows_ = std::move(steps_.back().rows);
  steps_.clear();
  return sums;
}

std::int64_t LossLog::steps_without_target(std::int64_t before) const {
  for (const float objects : objects_) {
    if (objects != 0) before = objects < 0 ? before + 1 : 0;
  }
  return before;
}

void LossLog::fail(const Step& step, const float* totals) const {
  std::string terms;
  for (std::size_t i = 0; i < term_names_.size(); ++i) {
    terms += (terms.empty() ? "" : ", ") + term_names_[i] + " " + c10::str(totals[i]);
  }
  const std::string before =
      last_loss_ ? ", at step " + std::to_string(last_step_) + " it was " + c10::str(*last_loss_)
                 : "";
  throw Diverged(
      {.where = "step " + std::to_string(step.step),
       .what = "the loss is not finite (" + terms + ")" + before + "; " + name_worst(step.rows),
       .fix = "look at them with `letterpress-preprocess preview`, lower --lr, or set "
              "--clip; --resume goes on from the last checkpoint"});
}

std::string LossLog::name_worst(const std::vector<RowPlace>& rows) const {
  std::vector<RowPlace> worst;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(worst),
               [](const RowPlace& place) { return place.shard >= 0; });
  const std::vector<double> losses =
      losses_of_ && !worst.empty() ? losses_of_(worst) : std::vector<double>{};
  if (losses.size() != worst.size()) return "its rows: " + name_rows(reader_, worst);
  const auto badness = [&](std::size_t i) {
    return std::isfinite(losses[i]) ? losses[i] : std::numeric_limits<double>::infinity();
  };
  std::vector<std::size_t> order(worst.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return badness(a) > badness(b); });
  std::vector<RowPlace> ordered;
  std::vector<double> theirs;
  for (const std::size_t i : order) {
    ordered.push_back(worst[i]);
    theirs.push_back(losses[i]);
  }
  return "its rows, the worst first: " + name_rows(reader_, ordered, theirs);
}

std::string name_rows(const SnapshotReader& reader, const std::vector<RowPlace>& rows,
                      const std::vector<double>& losses, std::size_t most) {
  std::string names;
  std::size_t all = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowPlace& place = rows[i];
    if (place.shard < 0 || ++all > most) continue;
    const ShardReader& shard = reader.shard(place.shard);
    names += (names.empty() ? "" : ", ") + shard.name(place.row) + " (" +
             shard.path().filename().string() + " row " + std::to_string(place.row) + ")" +
             (losses.empty() ? "" : " " + c10::str(losses[i]));
  }
  return all > most ? names + " and " + std::to_string(all - most) + " more" : names;
}

}  // namespace letterpress
