#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace letterpress {

/// What the line on stderr says. Rates and losses are of the steps since the last look.
struct FitProgress {
  std::int64_t epoch = 1, epochs = 1;  ///< from 1
  std::int64_t step = 0, steps = 0;
  std::vector<std::string> term_names{};
  std::vector<double> terms{};  ///< per picture
  double lr = 0;
  double images_per_s = 0;
  double data_wait = 0;  ///< 0..1
  std::int64_t memory =
      0;  ///< bytes held at once so far, at most, on the device; on the CPU by the process
  double remaining_s = 0;
};

/// "epoch 3/40  step 52/693  box_xy 1.21  box_wh 0.83  objectness 12.1  classes 3.3  lr
/// 0.00097  23.1 images/s  data_wait 0.3 %  memory 1.2 GiB  ETA 12 min"
std::string progress_text(const FitProgress& progress);

/// The line itself: on a terminal redrawn at each look, at most 10 times a second; else one every
/// 10 s.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  ///< ends a drawn line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const FitProgress& progress);
  void note(const std::string& text);  ///< a line of its own

 private:
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace letterpress
