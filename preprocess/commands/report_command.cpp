#include <algorithm>
#include <iostream>
#include <optional>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/commandline/output_file.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/progress_listener.h"
#include "preprocess/commands/text.h"
#include "preprocess/lint/lint.h"
#include "preprocess/report/report.h"

namespace letterpress {
namespace {

struct ReportFlags {
  std::string store, out = "report.html";
  std::int64_t snapshot = 0;
  int samples = 6;
  bool no_lint = false;
};

// One line per kind, with the first finding. None for a store of tiles, which lint does not read.
std::optional<ReportedFindings> found_by_lint(const ReportFlags& flags, const Store& store,
                                              const SnapshotReader& reader) {
  if (flags.no_lint || reader.snapshot().accounting.tiles) return std::nullopt;
  ProgressListener listener;
  const LintResult result = lint(store, reader, {}, listener, stop_by_signal());
  ReportedFindings found;
  for (const Finding& finding : result.findings) {
    const auto known = std::ranges::find(found.kinds, finding.kind, &ReportedFindings::Kind::name);
    if (known == found.kinds.end()) {
      found.kinds.push_back({finding.kind, 1, finding.picture, finding.what, finding.fix});
    } else {
      ++known->n;
    }
  }
  for (const SplitLeak& leak : result.leaks) {
    if (leak.leaking > 0) found.leaks.push_back(leak_text(leak));
  }
  return found;
}

int run_report(const ReportFlags& flags) {
  check_output_file("--out", flags.out, {"an HTML file", "<!DOCTYPE html>"});
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, chosen_snapshot(store, flags.snapshot));
  check_not_an_input(flags.out, store, reader.snapshot());
  ReportOptions options{.samples = static_cast<std::size_t>(flags.samples),
                        .findings = found_by_lint(flags, store, reader)};
  if (stop_by_signal()) return 128 + stop_by_signal().signal();
  const std::string html = report_html(store, reader, options);
  write_out(flags.out, html);
  std::cout << flags.out << ": snapshot " << reader.snapshot().generation << " of " << flags.store
            << ", " << bytes_text(static_cast<double>(html.size())) << "; open it in a browser\n";
  return 0;
}

}  // namespace

Command report_command() {
  using F = Flag<ReportFlags>;
  FlagTable<ReportFlags> table;
  table.add({store_flag<ReportFlags>(),
             F("out", &ReportFlags::out, "HTML file to write; it needs nothing beside it"),
             snapshot_flag<ReportFlags>(),
             F("samples", &ReportFlags::samples, "pictures shown per split").between(0, 100),
             F("no-lint", &ReportFlags::no_lint,
               "leave out what `lint` says, which reads every picture of the store")});
  return command("report",
                 "writes one HTML page about a snapshot: accounting, findings of lint, classes, "
                 "boxes, samples, rejects, changes",
                 table, run_report);
}

}  // namespace letterpress
