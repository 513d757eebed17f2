#pragma once
#include <string>
#include <vector>

namespace letterpress {

/// A learning rate over a run, for display: rates[s] is that of optimiser step s; not empty,
/// all >= 0.
struct SchedulePlot {
  std::string title;  ///< "cosine, 693 steps in 40 epochs"
  std::vector<double> rates;
  double steps_per_epoch = 1;

  /// For a terminal: `columns` x `rows` characters and the axes, highest rate on top. Every column
  /// shows the highest rate of its steps.
  std::string text(int columns = 72, int rows = 12) const;
  /// A self-contained picture of 720 x 360, a polyline with axes.
  std::string svg() const;
  /// "step,epoch,lr" and a line per step.
  std::string csv() const;
};

}  // namespace letterpress
