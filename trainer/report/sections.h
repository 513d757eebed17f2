#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trainer/fit/evaluation/picture_losses.h"
#include "trainer/fit/log/results_csv.h"
#include "trainer/metrics/operating_point.h"
#include "trainer/report/opened_run.h"
#include "trainer/report/report_options.h"

namespace letterpress {

/// What the model finds on the validation pictures; lists are in their order.
struct Validation {
  std::vector<PictureRows> pictures{};
  std::vector<PictureLoss> losses{};
  std::vector<PictureResult> results{};  ///< of detectors: of source pictures, in the order of
                                         ///< rows_of_pictures()
  std::vector<std::int32_t> classes{};   ///< of classifiers: each picture's class
  std::vector<ClassVerdicts> judged{};   ///< on these results, by class
  double confidence = 0;                 ///< with the best mean F1; detections above it count
};
/// Returns nothing when stopped. Leaves the network in eval mode.
std::optional<Validation> look_at_validation(const OpenedRun& run, const RunReportOptions& options);

/// Sections of the page, HTML.
std::string curves_section(const RunResults& results);
std::string detection_sections(const OpenedRun& run, const Validation& validation);
std::string class_sections(const OpenedRun& run, const Validation& validation);
std::string pictures_section(const OpenedRun& run, const Validation& validation, std::size_t n);
std::string model_section(const OpenedRun& run);
std::string configuration_section(const OpenedRun& run);

/// A confusion table: a row per class of the ground truth, a column per class found. names: of rows
/// and columns; the diagonal is right. For more than 30 classes only a sentence.
std::string confusion_table(const std::vector<std::string>& names,
                            const std::vector<std::int64_t>& counts);

}  // namespace letterpress
