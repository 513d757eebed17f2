#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace letterpress {

/// What one epoch gave: a line of results.csv.
struct EpochResult {
  std::int64_t epoch = 0;  ///< from 1
  std::int64_t step = 0;   ///< optimiser steps done at its end
  std::vector<double>
      terms{};              ///< loss terms per picture, means over the epoch, as Loss::term_names()
  double lr = 0;            ///< of the last step
  double images_per_s = 0;  ///< while training
  double data_wait = 0;     ///< 0..1: share of the training time spent waiting for data
  struct Metrics {
    double map50 = 0, map = 0, precision = 0,
           recall = 0;  ///< of the val split, of models that find boxes
    std::optional<double>
        top1{};  ///< of classifiers, instead of them: share of the val pictures that is right
  };
  std::optional<Metrics> metrics{};  ///< none: no val split
  double seconds = 0;  ///< of the whole run so far, validation included, all resumptions together
};

/// results.csv of a run: a header and one line per epoch,
///   epoch,step,<terms>,loss,lr,images_per_s,data_wait_percent,map50,map50_95,precision,recall,seconds
/// (classifiers: top1 in place of map50 to recall) with empty fields where there are no figures.
/// Each line is one durable append. Throws Error naming the file.
class ResultsCsv {
 public:
  /// Begins the file; of one that is there keeps the lines of epochs 1..epochs_done, which are
  /// whole, and drops all others.
  ResultsCsv(std::filesystem::path file, std::vector<std::string> term_names,
             std::int64_t epochs_done, bool of_classifier = false);
  void append(const EpochResult& result);

 private:
  std::filesystem::path file_;
  bool of_classifier_;
};

/// results.csv of a run, read back.
struct RunResults {
  std::vector<std::string> names{};            ///< of the columns
  std::vector<std::vector<double>> columns{};  ///< a value per epoch, NaN where the field is empty
  const std::vector<double>* find(
      const std::string& name) const;           ///< null: there is no such column
  std::vector<std::string> term_names() const;  ///< loss terms
};
/// Leaves out a last line that is not whole. Throws Error naming the file: no_input when it is not
/// there, data when it is no results.csv.
RunResults read_results(const std::filesystem::path& file);

}  // namespace letterpress
