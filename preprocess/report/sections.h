#pragma once
#include <string>
#include <vector>

#include "preprocess/report/contents.h"
#include "preprocess/report/report.h"

namespace letterpress {

/// What the sections of a report are made from.
struct ReportSource {
  const Store& store;
  const SnapshotReader& reader;
  const Contents& contents;
  const ReportOptions& options;
};

std::string accounting_section(const ReportSource& source);
std::string contents_section(const ReportSource& source);
std::string sizes_section(const ReportSource& source);
std::string samples_section(const ReportSource& source);
std::string rejects_section(const ReportSource& source);
std::string changes_section(const ReportSource& source);
std::string settings_section(const ReportSource& source);

}  // namespace letterpress
