#include <iostream>
#include <nlohmann/json.hpp>

#include "letterpress/base/bytes_text.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"
#include "preprocess/upkeep/garbage.h"

namespace letterpress {
namespace {

struct GcFlags {
  std::string store;
  GarbageOptions options;
  std::int64_t days = GarbageOptions{}.older_than.count();
  bool json = false;
};

std::string unpacked_text(const GarbageReport& report) {
  if (report.unpacked.empty()) return "";
  return joined(", ", report.unpacked.size(), " unpacked archives (",
                bytes_text(static_cast<double>(report.unpacked_bytes)), ")");
}

std::string text_of(const GarbageReport& report, bool dry_run) {
  const char* const removed = dry_run ? "would be removed" : "removed";
  std::string text;
  for (const GarbageReport::Kept& kept : report.kept)
    text += joined("snapshot ", kept.generation, ": stays, ", kept.why, "\n");
  for (const std::int64_t generation : report.snapshots)
    text += joined("snapshot ", generation, ": ", removed, "\n");
  return text + joined(removed, ": ", report.snapshots.size(), " snapshots, ", report.shards.size(),
                       " shards (", bytes_text(static_cast<double>(report.bytes)), "), ",
                       report.plans.size(), " plans older than ", kPlanLife.count(), " days, ",
                       report.pins.size(), " expired pins", unpacked_text(report), "\n");
}

nlohmann::ordered_json json_of(const GarbageReport& report, bool dry_run) {
  nlohmann::ordered_json kept = nlohmann::ordered_json::array();
  for (const GarbageReport::Kept& snapshot : report.kept)
    kept.push_back({{"generation", snapshot.generation}, {"why", snapshot.why}});
  return {{"dry_run", dry_run},
          {"kept", std::move(kept)},
          {"snapshots", report.snapshots},
          {"shards", report.shards.size()},
          {"bytes", report.bytes},
          {"plans", report.plans.size()},
          {"pins", report.pins.size()},
          {"unpacked", report.unpacked.size()}};
}

int run_gc(GcFlags& flags) {
  flags.options.older_than = std::chrono::days(flags.days);
  const GarbageReport report = collect_garbage(Store::open(flags.store), flags.options);
  std::cout << text_of(report, flags.options.dry_run);
  if (flags.json) std::cout << json_of(report, flags.options.dry_run).dump() << '\n';
  return 0;
}

}  // namespace

Command gc_command() {
  using F = Flag<GcFlags>;
  FlagTable<GcFlags> table;
  table.add(
      {store_flag<GcFlags>(),
       F("keep", member(&GcFlags::options, &GarbageOptions::keep), "newest snapshots that stay")
           .at_least(1),
       F("older-than", &GcFlags::days, "days; younger snapshots stay, too").between(0, 36'500),
       F("dry-run", member(&GcFlags::options, &GarbageOptions::dry_run),
         "say what would be removed; remove nothing"),
       json_flag<GcFlags>()});
  return command("gc",
                 "removes old snapshots, and the shards that no snapshot, pinned or kept, and no "
                 "plan of this week needs",
                 table, run_gc);
}

}  // namespace letterpress
