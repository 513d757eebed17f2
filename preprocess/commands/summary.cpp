#include <nlohmann/json.hpp>

#include "letterpress/base/bytes_text.h"
#include "letterpress/commandline/progress.h"
#include "letterpress/commandline/terminal_text.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"
#include "preprocess/options/split_key.h"
#include "preprocess/plan/guards.h"

namespace letterpress {
namespace {

constexpr std::size_t kListedRejects = 10;

using Json = nlohmann::ordered_json;

Json accounting_object(const Accounting& sums) {
  Json object{{"pictures_found", sums.pictures_found},
              {"pictures_stored", sums.pictures_stored},
              {"pictures_background", sums.pictures_background},
              {"pictures_duplicate", sums.pictures_duplicate},
              {"pictures_rejected", sums.pictures_rejected},
              {"boxes_found", sums.boxes_found},
              {"boxes_stored", sums.boxes_stored},
              {"boxes_merged", sums.boxes_merged},
              {"boxes_rejected", sums.boxes_rejected},
              {"boxes_clipped", sums.boxes_clipped},
              {"moved_to_val", sums.moved_to_val},
              {"pictures_unlabelled", sums.pictures_unlabelled},
              {"pictures_cmyk", sums.pictures_cmyk},
              {"pictures_alpha", sums.pictures_alpha},
              {"pictures_deep", sums.pictures_deep}};
  if (sums.tiles) {
    object["tiles"] = {{"laid", sums.tiles->laid},
                       {"stored", sums.tiles->stored},
                       {"background", sums.tiles->background},
                       {"left_out", sums.tiles->left_out},
                       {"rejected", sums.tiles->rejected},
                       {"boxes_whole", sums.tiles->boxes_whole},
                       {"boxes_cut", sums.tiles->boxes_cut},
                       {"boxes_outside", sums.tiles->boxes_outside}};
  }
  return object;
}

std::string outcome(const BuildReport& report, const BuildOptions& options) {
  if (report.stopped_by) {
    return joined("stopped by ", name_of_signal(report.stopped_by),
                  "; finished shards are kept, the same command goes on");
  }
  if (options.dry_run) return "dry run, nothing was written";
  if (!report.plan.empty()) {
    return joined("planned: ", report.shards_new, " shards in ", report.groups,
                  " groups, each of which one part makes; for each part `letterpress-preprocess "
                  "map --plan P --part i/n` with n up to ",
                  report.groups, " (more would have nothing to do), then `reduce --plan P`\nplan ",
                  report.plan.string());
  }
  if (!report.published)
    return joined("nothing has changed, snapshot ", report.generation, " stands");
  return joined("snapshot ", report.generation, " published");
}

// "outcome" for programs.
std::string outcome_word(const BuildReport& report, const BuildOptions& options) {
  if (report.stopped_by) return "stopped";
  if (options.dry_run) return "dry run";
  if (!report.plan.empty()) return "planned";
  return report.published ? "published" : "unchanged";
}

std::string rejects_text(const BuildReport& report, const BuildOptions& options) {
  std::string text;
  std::size_t n = 0;
  for (const Reject& reject : report.rejects) {
    // Of missing pictures a remark tells.
    if (reject.is_missing || n++ >= kListedRejects) continue;
    text += joined("  ", reject.scope == Reject::Scope::box ? "box" : "picture",
                   " rejected: ", terminal_text(to_string(reject)), "\n");
  }
  if (n <= kListedRejects) return text;
  const std::string all =
      report.published ? "; all are in " + (options.store / "quarantine.jsonl").string() : "";
  return text + joined("  and ", n - kListedRejects, " more", all, "\n");
}

Json rejects_list(const std::vector<Reject>& rejects) {
  Json list = Json::array();
  for (const Reject& reject : rejects)
    list.push_back({{"scope", reject.scope == Reject::Scope::box ? "box" : "picture"},
                    {"where", reject.where},
                    {"what", reject.what},
                    {"fix", reject.fix}});
  return list;
}

std::string damage_text(const std::vector<std::filesystem::path>& shards) {
  if (shards.empty()) return "";
  std::string text =
      joined(shards.size(),
             " shards of the last snapshot are missing or damaged, their rows are made anew:\n");
  for (const std::filesystem::path& shard : shards) text += "  " + shard.string() + "\n";
  return text;
}

std::string drift_text(const std::optional<Drift>& drift) {
  if (!drift) return "";
  return joined("drift from the last snapshot: classes ", percent_text(drift->classes),
                ", box sizes ", percent_text(drift->box_sizes), ", brightness ",
                percent_text(drift->brightness), "\n");
}

std::string moves_text(const SplitMoves& moves) {
  std::string text;
  bool was_trained_on = false;
  for (const auto& [splits, n] : moves) {
    const auto& [from, to] = splits;
    text += joined(text.empty() ? "moved: " : ", ", n, " from ", from, " to ", to);
    was_trained_on |= from == "train";
  }
  if (was_trained_on) text += "; a model that was trained on this store has seen these from train";
  return text.empty() ? "" : text + "\n";
}

Json moves_list(const SplitMoves& moves) {
  Json list = Json::array();
  for (const auto& [splits, n] : moves)
    list.push_back({{"from", splits.first}, {"to", splits.second}, {"pictures", n}});
  return list;
}

std::string findings_text(const BuildReport& report) {
  if (report.published && report.accounting.tiles)
    return "not looked at: what `letterpress-preprocess lint` finds; it needs a store of whole "
           "pictures, and this one holds tiles\n";
  std::string text;
  for (const auto& [kind, n] : report.findings)
    text += joined(text.empty() ? "" : ", ", n, " ", kind);
  return text.empty() ? ""
                      : "worth a look: " + text + " (`letterpress-preprocess lint` names them)\n";
}

// A split by share keeps pictures of one scene together; of a given one nobody has looked.
std::string leak_text(const BuildReport& report, const BuildOptions& options) {
  if (!report.published || report.accounting.tiles || parse_share(options.val) ||
      report.pictures_per_split.size() < 2)
    return "";
  return "not looked at: whether other splits show what train shows (`letterpress-preprocess lint` "
         "tells)\n";
}

Json drift_object(const std::optional<Drift>& drift) {
  if (!drift) return nullptr;
  return {{"classes", drift->classes},
          {"box_sizes", drift->box_sizes},
          {"brightness", drift->brightness}};
}

std::string estimate_text(const Estimate& estimate) {
  const auto bytes = [](auto n) { return bytes_text(static_cast<double>(n)); };
  std::string text =
      joined("needs ", bytes(estimate.bytes_needed), " of ", bytes(estimate.bytes_free), " free",
             estimate.bytes_needed > estimate.bytes_free ? ": not enough" : "");
  if (estimate.seconds > 0) {
    text += joined("; about ", duration_text(estimate.seconds), " (", estimate.pictures_tried,
                   " pictures tried: ", std::fixed, std::setprecision(0), estimate.rows_per_s,
                   " rows/s per thread; ");
    text += estimate.bytes_per_s > 0 ? joined("the disk takes ", bytes(estimate.bytes_per_s), "/s)")
                                     : "the disk could not be tried)";
  }
  return text + "\n";
}

Json estimate_object(const Estimate& estimate) {
  return {{"bytes_needed", estimate.bytes_needed},     {"bytes_free", estimate.bytes_free},
          {"pictures_tried", estimate.pictures_tried}, {"rows_per_s", estimate.rows_per_s},
          {"disk_bytes_per_s", estimate.bytes_per_s},  {"seconds", estimate.seconds}};
}

}  // namespace

std::string accounting_text(const Accounting& sums) {
  std::string text =
      joined("pictures found ", sums.pictures_found, " = stored ", sums.pictures_stored,
             " (of which background ", sums.pictures_background, ") + duplicates ",
             sums.pictures_duplicate, " + rejected ", sums.pictures_rejected, "\n");
  text += joined("boxes found ", sums.boxes_found, " = stored ", sums.boxes_stored, " + merged ",
                 sums.boxes_merged, " + rejected ", sums.boxes_rejected, "; clipped ",
                 sums.boxes_clipped, "\n");
  if (sums.tiles) {
    const TileAccounting& tiles = *sums.tiles;
    text += joined("tiles laid ", tiles.laid, " = stored ", tiles.stored, " (of which background ",
                   tiles.background, ") + left out ", tiles.left_out, " + rejected ",
                   tiles.rejected, "\n");
    text += joined("boxes stored ", sums.boxes_stored, " = whole in a tile ", tiles.boxes_whole,
                   " + cut in every tile ", tiles.boxes_cut, " + in no tile ", tiles.boxes_outside,
                   "\n");
  }
  if (sums.pictures_cmyk + sums.pictures_alpha + sums.pictures_deep > 0) {
    text += joined("converted to 8-bit RGB: ", sums.pictures_cmyk, " CMYK, ", sums.pictures_alpha,
                   " with alpha (dropped), ", sums.pictures_deep, " of more than 8 bits\n");
  }
  if (sums.moved_to_val > 0)
    text += joined(sums.moved_to_val, " pictures were in two splits and stay in val\n");
  return text;
}

std::string summary_text(const BuildReport& report, const BuildOptions& options) {
  std::string text;
  for (const std::string& line : report.recognised) text += line + "\n";
  text += rejects_text(report, options);
  text += damage_text(report.damaged_shards);
  // What was planned is not what there is.
  if (report.stopped_by)
    return text + options.store.string() + ": " + outcome(report, options) + "\n";
  text += accounting_text(report.accounting);
  text += "splits:";
  for (const auto& [split, n] : report.pictures_per_split) text += joined(" ", split, " ", n);
  if (!report.pictures_per_split.empty() && !report.pictures_per_split.contains("train"))
    text += "; none is called train, which `fit` reads unless --split names another";
  const std::string resumed =
      report.rows_resumed > 0
          ? joined(", ", report.rows_resumed, " of them finished by an earlier run")
          : "";
  const std::string repacked =
      report.rows_copied > 0 ? joined("; repacked: ", report.rows_copied, " rows") : "";
  const std::string known = report.pictures_known > 0 ? joined(" (of which edited or made anew ",
                                                               report.pictures_known, ")")
                                                      : "";
  text += joined("\nnew: ", report.pictures_new, " pictures", known, ", ", report.rows_new, " rows",
                 resumed, " in ", report.shards_new, " shards, ",
                 bytes_text(static_cast<double>(report.bytes_new)), repacked,
                 "; removed: ", report.pictures_removed, " pictures\n");
  text += moves_text(report.moved) + drift_text(report.drift) + findings_text(report) +
          leak_text(report, options);
  if (report.estimate) text += estimate_text(*report.estimate);
  return text + options.store.string() + ": " + outcome(report, options) + "\n";
}

std::string summary_json(const BuildReport& report, const BuildOptions& options) {
  if (report.stopped_by)
    return Json{{"outcome", "stopped"}, {"store", options.store.string()}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  Json json{{"outcome", outcome_word(report, options)},
            {"store", options.store.string()},
            {"generation", report.generation},
            {"accounting", accounting_object(report.accounting)},
            {"pictures_per_split", report.pictures_per_split},
            {"pictures_new", report.pictures_new},
            {"pictures_known", report.pictures_known},
            {"pictures_removed", report.pictures_removed},
            {"pictures_moved", moves_list(report.moved)},
            {"rows_new", report.rows_new},
            {"rows_copied", report.rows_copied},
            {"rows_resumed", report.rows_resumed},
            {"shards_new", report.shards_new},
            {"shards_damaged", report.damaged_shards.size()},
            {"bytes_new", report.bytes_new},
            {"drift", drift_object(report.drift)},
            {"findings", report.findings},
            {"plan", report.plan.empty() ? Json(nullptr) : Json(report.plan.string())},
            {"groups", report.groups},
            {"rejects", rejects_list(report.rejects)},
            {"configuration", Json::parse(report.configuration)}};
  if (report.estimate) json["estimate"] = estimate_object(*report.estimate);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace letterpress
