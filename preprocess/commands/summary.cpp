#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "letterpress/commandline/progress.h"
#include "preprocess/commands/commands.h"

namespace letterpress {
namespace {

constexpr std::size_t kListedRejects = 10;

using Json = nlohmann::ordered_json;

Json accounting_object(const Accounting& sums) {
  return {{"pictures_found", sums.pictures_found},
          {"pictures_stored", sums.pictures_stored},
          {"pictures_background", sums.pictures_background},
          {"pictures_duplicate", sums.pictures_duplicate},
          {"pictures_rejected", sums.pictures_rejected},
          {"boxes_found", sums.boxes_found},
          {"boxes_stored", sums.boxes_stored},
          {"boxes_merged", sums.boxes_merged},
          {"boxes_rejected", sums.boxes_rejected},
          {"boxes_clipped", sums.boxes_clipped},
          {"moved_to_val", sums.moved_to_val}};
}

std::string outcome(const BuildReport& report, const BuildOptions& options) {
  if (report.stopped_by) {
    return fmt::format("stopped by {}; finished shards are kept, the same command goes on",
                       report.stopped_by == SIGINT ? "SIGINT" : "SIGTERM");
  }
  if (options.dry_run) return "dry run, nothing was written";
  if (!report.published) return fmt::format("nothing has changed, snapshot {} stands", report.generation);
  return fmt::format("snapshot {} published", report.generation);
}

// "outcome" for programs.
std::string outcome_word(const BuildReport& report, const BuildOptions& options) {
  if (report.stopped_by) return "stopped";
  if (options.dry_run) return "dry run";
  return report.published ? "published" : "unchanged";
}

std::string rejects_text(const BuildReport& report, const BuildOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < report.rejects.size() && i < kListedRejects; ++i) {
    const Reject& reject = report.rejects[i];
    text += fmt::format("  {} rejected: {}\n", reject.scope == Reject::Scope::box ? "box" : "picture", to_string(reject));
  }
  if (report.rejects.size() <= kListedRejects) return text;
  const std::string all = report.published ? "; all are in " + (options.store / "quarantine.jsonl").string() : "";
  return text + fmt::format("  and {} more{}\n", report.rejects.size() - kListedRejects, all);
}

}  // namespace

std::string accounting_text(const Accounting& sums) {
  std::string text =
      fmt::format("pictures found {} = stored {} (of which background {}) + duplicates {} + rejected {}\n", sums.pictures_found,
                  sums.pictures_stored, sums.pictures_background, sums.pictures_duplicate, sums.pictures_rejected);
  text += fmt::format("boxes found {} = stored {} + merged {} + rejected {}; clipped {}\n", sums.boxes_found, sums.boxes_stored,
                      sums.boxes_merged, sums.boxes_rejected, sums.boxes_clipped);
  if (sums.moved_to_val > 0) text += fmt::format("{} pictures were in two splits and stay in val\n", sums.moved_to_val);
  return text;
}

std::string accounting_json(const Accounting& accounting) { return accounting_object(accounting).dump(); }

std::string summary_text(const BuildReport& report, const BuildOptions& options) {
  std::string text;
  for (const std::string& line : report.recognised) text += line + "\n";
  text += rejects_text(report, options);
  text += accounting_text(report.accounting);
  text += "splits:";
  for (const auto& [split, n] : report.pictures_per_split) text += fmt::format(" {} {}", split, n);
  const std::string resumed = report.rows_resumed > 0 ? fmt::format(", {} of them finished by an earlier run", report.rows_resumed) : "";
  text += fmt::format("\nnew: {} pictures, {} rows{} in {} shards, {}; removed: {} pictures\n", report.pictures_new, report.rows_new,
                      resumed, report.shards_new, bytes_text(static_cast<double>(report.bytes_new)), report.pictures_removed);
  return text + options.store.string() + ": " + outcome(report, options) + "\n";
}

std::string summary_json(const BuildReport& report, const BuildOptions& options) {
  Json json{{"outcome", outcome_word(report, options)},
            {"store", options.store.string()},
            {"generation", report.generation},
            {"accounting", accounting_object(report.accounting)},
            {"pictures_per_split", report.pictures_per_split},
            {"pictures_new", report.pictures_new},
            {"pictures_removed", report.pictures_removed},
            {"rows_new", report.rows_new},
            {"rows_resumed", report.rows_resumed},
            {"shards_new", report.shards_new},
            {"bytes_new", report.bytes_new},
            {"configuration", Json::parse(report.configuration)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace letterpress
