#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/progress_listener.h"
#include "preprocess/commands/text.h"
#include "preprocess/lint/lint.h"

namespace letterpress {
namespace {

struct LintFlags {
  std::string store;
  std::int64_t snapshot = 0;
  LintOptions options;
  int limit = 20;
  bool json = false, strict = false;
};

void validate(const LintFlags& flags) {
  const LintOptions& options = flags.options;
  const auto require = [](const char* flag, double value, double least, double most) {
    if (value >= least && value <= most) return;
    throw Error(joined(flag, " ", value, ": wanted ", least, " to ", most), Exit::usage);
  };
  require("--radius", options.radius, 0, 7);
  require("--grey", options.grey, 0, 255);
  require("--tiny", options.tiny, 0, 8192);
  require("--imbalance", options.imbalance, 1, 1e9);
  require("--picture-aspect", options.picture_aspect, 1, 1e6);
  require("--box-aspect", options.box_aspect, 1, 1e6);
  require("--double-iou", options.double_iou, 0.01, 1);
  require("--edge-share", options.edge_share, 0, 1);
  require("--limit", flags.limit, 1, 1e9);
}

using Counts = std::map<std::string, std::int64_t>;

Counts counted(const std::vector<Finding>& findings) {
  Counts counts;
  for (const Finding& finding : findings) ++counts[finding.kind];
  return counts;
}

void print(const LintResult& result, const Counts& counts, int limit) {
  Counts shown;
  for (const Finding& finding : result.findings) {
    if (++shown[finding.kind] > limit) continue;
    const std::string where = finding.where.empty() ? "" : " (" + finding.where + ")";
    std::cout << finding.kind << ": " << finding.picture << where << " " << finding.what << "; "
              << finding.fix << '\n';
    const std::int64_t left = counts.at(finding.kind) - limit;
    if (shown[finding.kind] == limit && left > 0)
      std::cout << "  and " << left << " more of " << finding.kind << "; --limit shows more\n";
  }
  for (const std::string& note : result.notes) std::cout << "note: " << note << '\n';
}

std::string json_of(const LintResult& result, const Counts& counts, std::int64_t generation) {
  nlohmann::ordered_json json{
      {"snapshot", generation}, {"counts", counts}, {"notes", result.notes}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : result.findings) {
    json["findings"].push_back({{"kind", finding.kind},
                                {"picture", finding.picture},
                                {"where", finding.where},
                                {"split", finding.split},
                                {"what", finding.what},
                                {"fix", finding.fix}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

int run_lint(const LintFlags& flags) {
  validate(flags);
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, chosen_snapshot(store, flags.snapshot));
  LintResult result;
  {
    ProgressListener listener;
    result = lint(store, reader, flags.options, listener, stop_by_signal());
  }
  if (stop_signal()) return 128 + stop_signal();
  const Counts counts = counted(result.findings);
  print(result, counts, flags.limit);
  std::cout << flags.store << ": snapshot " << reader.snapshot().generation << ", "
            << result.findings.size() << (result.findings.size() == 1 ? " finding" : " findings");
  for (const auto& [kind, n] : counts)
    std::cout << (kind == counts.begin()->first ? ": " : ", ") << n << ' ' << kind;
  std::cout << '\n';
  if (flags.json) std::cout << json_of(result, counts, reader.snapshot().generation) << '\n';
  return static_cast<int>(flags.strict && !result.findings.empty() ? Exit::data : Exit::done);
}

}  // namespace

Command lint_command() {
  return {"lint",
          "points at what is worth a look: near-duplicates across splits, tiny, odd, edge and "
          "double boxes, imbalance",
          [](CLI::App& app) {
            auto flags = std::make_shared<LintFlags>();
            LintOptions& options = flags->options;
            app.add_option("--store", flags->store, "folder of the shards")->required();
            app.add_option("--snapshot", flags->snapshot, "generation; 0: the newest");
            app.add_option("--radius", options.radius,
                           "near-duplicates: bits of 64 that may differ, 0 to 7");
            app.add_option("--grey", options.grey,
                           "and grey levels by which they may differ on average");
            app.add_option("--tiny", options.tiny,
                           "boxes with a side shorter than this, pixels of the frame");
            app.add_option("--imbalance", options.imbalance,
                           "classes this many times rarer than the most frequent one");
            app.add_option("--picture-aspect", options.picture_aspect,
                           "pictures longer than this many times their other side");
            app.add_option("--box-aspect", options.box_aspect, "the same of boxes");
            app.add_option("--double-iou", options.double_iou,
                           "IoU from which two boxes of a picture are one object labelled twice");
            app.add_option("--edge-share", options.edge_share,
                           "share of a picture's boxes that touch its edge");
            app.add_option("--limit", flags->limit,
                           "findings of one kind that are printed; --json has all");
            app.add_flag("--strict", flags->strict, "exit code 65 when there is a finding");
            app.add_flag("--json", flags->json, "one JSON object as the last line of the output");
            return [=] { return run_lint(*flags); };
          }};
}

}  // namespace letterpress
