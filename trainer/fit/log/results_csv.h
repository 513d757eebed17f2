#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/fit/opening/epoch_result.h"

namespace letterpress {

/// results.csv of a run: a header and one line per epoch,
///   epoch,step,<terms>,loss,lr,images_per_s,data_wait_percent,
///   map50,map50_95,precision,recall,val_loss,seconds
/// (classifiers: top1 in place of map50 to recall) with empty fields where there are no metrics.
/// Each line is one durable append. Throws Error naming the file.
class ResultsCsv {
 public:
  /// Begins the file. Of one that is there it keeps the whole lines of epochs 1..epochs_done and
  /// drops all others; columns that an older program did not write stay empty in them. Where it has
  /// columns that no program of ours wrote, the whole is kept beside it, with ".old" behind its
  /// name, unless there is such a file. goal: the name of its column; empty: there is none.
  ResultsCsv(std::filesystem::path file, std::vector<std::string> term_names,
             std::int64_t epochs_done, bool of_classifier = false, const std::string& goal = "");
  void append(const EpochResult& result);

 private:
  std::filesystem::path file_;
  bool of_classifier_, has_goal_;
};

/// results.csv of a run, read back.
struct RunResults {
  std::vector<std::string> names{};            ///< of the columns
  std::vector<std::vector<double>> columns{};  ///< a value per epoch, NaN where the field is empty
  const std::vector<double>* find(
      const std::string& name) const;           ///< null: there is no such column
  std::vector<std::string> term_names() const;  ///< loss terms
  std::string goal() const;  ///< the column of what --monitor reaches; empty: there is none
};
/// Leaves out a last line that is not whole. Throws Error naming the file: no_input when it is not
/// there, data when it is not a results.csv.
RunResults read_results(const std::filesystem::path& file);

}  // namespace letterpress
