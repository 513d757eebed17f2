#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// What the line on stderr says. Rates and losses are of the steps since the last flush.
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

/// What a run tells people: lines to options.hooks.note, else on stderr, where the progress line is
/// too. Of several ranks only the first speaks.
class RunNotes {
 public:
  explicit RunNotes(const FitOptions& options);
  ~RunNotes();  ///< ends a line on a terminal
  RunNotes(const RunNotes&) = delete;
  RunNotes& operator=(const RunNotes&) = delete;

  void operator()(const std::string& text);  ///< a line of its own
  /// The progress line: on a terminal rewritten at most 10 times a second; else one every 10 s.
  void show(const FitProgress& progress);

 private:
  bool silent_;
  std::function<void(const std::string&)> hook_;
  bool terminal_;
  bool unfinished_ = false;  ///< the cursor is at the end of a progress line
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace letterpress
