#include <iostream>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/commandline/output_file.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"
#include "preprocess/report/report.h"

namespace letterpress {
namespace {

struct ReportFlags {
  std::string store, out = "report.html";
  std::int64_t snapshot = 0;
  int samples = 6;
};

int run_report(const ReportFlags& flags) {
  check_output_file("--out", flags.out, "an HTML file", "<!DOCTYPE html>");
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, chosen_snapshot(store, flags.snapshot));
  check_not_an_input(flags.out, store, reader.snapshot());
  const std::string html =
      report_html(store, reader, {.samples = static_cast<std::size_t>(flags.samples)});
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
             F("samples", &ReportFlags::samples, "pictures shown per split").between(0, 100)});
  return command("report",
                 "writes one HTML page about a snapshot: accounting, classes, box sizes, samples, "
                 "rejects, changes",
                 table, run_report);
}

}  // namespace letterpress
