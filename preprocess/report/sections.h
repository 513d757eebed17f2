#pragma once
#include <string>
#include <vector>

#include "preprocess/report/contents.h"
#include "preprocess/report/report_options.h"
#include "preprocess/report/shapes.h"

namespace letterpress {

/// What the sections of a report are made from.
struct ReportSource {
  const Store& store;
  const SnapshotReader& reader;
  const Contents& contents;
  const Shapes& shapes;  ///< empty for a store of tiles
  const ReportOptions& options;
};

std::string accounting_section(const ReportSource& source);
std::string findings_section(const ReportSource& source);
std::string pictures_section(const ReportSource& source);
std::string balance_section(const ReportSource& source);
std::string places_section(const ReportSource& source);
std::string augmented_section(const ReportSource& source);
std::string contents_section(const ReportSource& source);
std::string sizes_section(const ReportSource& source);
std::string samples_section(const ReportSource& source);
std::string rejects_section(const ReportSource& source);
std::string changes_section(const ReportSource& source);
std::string settings_section(const ReportSource& source);

}  // namespace letterpress
