#pragma once
#include <optional>
#include <string>
#include <vector>

#include "letterpress/events/event_file.h"
#include "trainer/fit/log/results_csv.h"
#include "trainer/fit/log/run_notes.h"
#include "trainer/fit/opening/run.h"

namespace letterpress {

/// Where a run's numbers go: the progress line, results.csv and TensorBoard's event files. Of
/// several ranks only the first writes.
class RunLog {
 public:
  /// Begins the files in the run's folder. notes: outlives it. Throws Error naming the file.
  RunLog(const Run& run, std::vector<std::string> term_names, bool of_classifier, RunNotes& notes);

  /// Of the steps since the last flush.
  void show(const FitProgress& progress);
  /// Of an epoch. epoch_s: seconds that it took; skipped_steps: of the run so far.
  void append(const EpochResult& result, double epoch_s, std::int64_t skipped_steps);

 private:
  void write_scalars(std::int64_t step, const std::vector<Scalar>& scalars);

  RunNotes& notes_;
  int epochs_;
  std::optional<ResultsCsv> results_;
  std::optional<EventFile> events_;
};

}  // namespace letterpress
