#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/side.h"
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
  for (const SplitLeak& leak : result.leaks) {
    if (leak.leaking == 0) continue;
    std::cout << "leak: " << leak_text(leak) << '\n';
  }
  for (const std::string& note : result.notes) std::cout << "note: " << note << '\n';
}

nlohmann::ordered_json leaks_object(const std::vector<SplitLeak>& leaks) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const SplitLeak& leak : leaks)
    object[leak.split] = {{"pictures", leak.pictures}, {"leaking", leak.leaking}};
  return object;
}

std::string json_of(const LintResult& result, const Counts& counts, std::int64_t generation) {
  nlohmann::ordered_json json{{"snapshot", generation},
                              {"counts", counts},
                              {"leaks", leaks_object(result.leaks)},
                              {"notes", result.notes}};
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
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, whole_pictures_snapshot(store, flags.snapshot, "lint"));
  LintResult result;
  {
    ProgressListener listener;
    result = lint(store, reader, flags.options, listener, stop_by_signal());
  }
  if (stop_by_signal()) return 128 + stop_by_signal().signal();
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
  using F = Flag<LintFlags>;
  const auto of = [](auto option) { return member(&LintFlags::options, option); };
  using O = LintOptions;
  FlagTable<LintFlags> table;
  table.add(
      {store_flag<LintFlags>(), snapshot_flag<LintFlags>(),
       F("radius", of(&O::radius), "near-duplicates: bits of 64 that may differ").between(0, 7),
       F("grey", of(&O::grey), "and grey levels by which they may differ on average")
           .between(0, 255),
       F("tiny", of(&O::tiny), "boxes with a side shorter than this, pixels of the frame")
           .between(0, kLargestSide),
       F("imbalance", of(&O::imbalance), "classes this many times rarer than the most frequent one")
           .between(1, 1e9),
       F("picture-aspect", of(&O::picture_aspect),
         "pictures longer than this many times their other side")
           .between(1, 1e6),
       F("box-aspect", of(&O::box_aspect), "the same of boxes").between(1, 1e6),
       F("double-iou", of(&O::double_iou),
         "IoU from which two boxes of a picture are one object labelled twice")
           .between(0.01, 1),
       F("edge-share", of(&O::edge_share), "share of a picture's boxes that touch its edge")
           .between(0, 1),
       F("limit", &LintFlags::limit, "findings of one kind that are printed; --json has all")
           .between(1, 1e9),
       F("strict", &LintFlags::strict, "exit code 65 when there is a finding"),
       json_flag<LintFlags>()});
  return command(
      "lint",
      "points at what is worth a look: near-duplicates and scenes across splits, tiny, odd, edge "
      "and double boxes, imbalance",
      table, run_lint);
}

}  // namespace letterpress
