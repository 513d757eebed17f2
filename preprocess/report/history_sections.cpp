// Sections that look beyond the snapshot itself: what it lacks and why, and what is new.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/own_file.h"
#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "preprocess/report/charts.h"
#include "preprocess/report/sections.h"

namespace letterpress {
namespace {

constexpr std::size_t kMostNames = 12;
constexpr const char* kBeforeAndNow =
    "<th class=\"n\">before</th><th class=\"n\">now</th><th class=\"n\">change</th></tr>\n";

// One line of the section on rejects. why: what is wrong and what to do, in one text, as the ledger
// keeps it.
struct ReportedReject {
  std::string where, why;
};

// The snapshot's lines of quarantine.jsonl: pictures and boxes.
std::vector<ReportedReject> quarantined(const Store& store, std::int64_t generation) {
  std::vector<ReportedReject> rejects;
  if (!std::filesystem::exists(store.quarantine_path())) return rejects;
  std::istringstream lines(read_own_file(store.quarantine_path(), kMostJsonBytes));
  for (std::string line; std::getline(lines, line);) {
    if (nesting_of(line) > kDeepest) continue;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    // Anybody may have made the store.
    const auto text = [&](const char* key) {
      const auto found = json.find(key);
      return found != json.end() && found->is_string() ? found->get<std::string>() : "";
    };
    if (!json.is_object()) continue;
    const auto of = json.find("generation");
    if (of == json.end() || !of->is_number_integer() || *of != generation) continue;
    rejects.push_back(
        {text("where"), to_string(Message{.what = text("what"), .fix = text("fix")})});
  }
  return rejects;
}

// All that this snapshot lacks, also what an earlier one lacked already: rejected pictures, and the
// rejected boxes of the stored ones, one per line of the reason.
std::vector<ReportedReject> from_ledger(const Store& store, std::int64_t generation) {
  std::vector<ReportedReject> rejects;
  for (const LedgerEntry& entry : store.ledger(generation)) {
    const std::string where = entry.where + (entry.name.empty() ? "" : ": " + entry.name);
    if (entry.state == InputState::rejected) rejects.push_back({where, entry.reason});
    if (entry.state != InputState::stored) continue;
    std::istringstream lines(entry.reason);
    for (std::string line; std::getline(lines, line);) rejects.push_back({where, line});
  }
  return rejects;
}

// quarantine.jsonl also has what belongs to no picture: annotations of an image that is not there.
// The ledger puts before the text on a box which one it is ("object 2: ..."), so the ends of the
// texts are compared: as the beginnings of the texts written backwards.
void add_others(std::vector<ReportedReject> others, std::vector<ReportedReject>& rejects) {
  const auto backwards = [](const std::string& text) {
    return std::string(text.rbegin(), text.rend());
  };
  std::vector<std::string> known;
  for (const ReportedReject& reject : rejects) known.push_back(backwards(reject.why));
  std::ranges::sort(known);
  for (ReportedReject& other : others) {
    const std::string end = backwards(other.why);
    const auto nearest = std::ranges::lower_bound(known, end);
    if (nearest == known.end() || !nearest->starts_with(end)) rejects.push_back(std::move(other));
  }
}

std::string name_list(const std::string& title, const std::string& key,
                      const std::vector<std::string>& names) {
  std::string html = "<tr><th>" + title + "</th><td class=\"n\">" +
                     named_number("changes." + key, static_cast<std::int64_t>(names.size())) +
                     "</td><td class=\"wrap soft\">";
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    html += (i ? ", " : "") + escaped(names[i]);
  if (names.size() > kMostNames)
    html += " and " + grouped(static_cast<std::int64_t>(names.size() - kMostNames)) + " more";
  return html + "</td></tr>\n";
}

// what: "boxes" or "pictures".
std::string class_changes(const Changes::PerClass& counts, const std::string& what) {
  std::string rows;
  for (const auto& [name, n] : counts) {
    if (n[0] == n[1]) continue;
    const std::string sign = n[1] > n[0] ? "+" : "";
    rows += "<tr><td>" + escaped(name) + "</td><td class=\"n\">" + grouped(n[0]) +
            "</td><td class=\"n\">" + grouped(n[1]) + "</td><td class=\"n\">" + sign +
            grouped(n[1] - n[0]) + "</td></tr>\n";
  }
  if (rows.empty())
    return "<p class=\"soft\">No class has more or fewer " + what + " than before.</p>\n";
  return "<h3>" + std::string(what == "boxes" ? "Boxes" : "Pictures") +
         " per class</h3>\n<table><tr><th>class</th>" + kBeforeAndNow + rows + "</table>\n";
}

bool holds_any(const Changes::PerClass& counts) {
  return std::ranges::any_of(
      counts, [](const auto& entry) { return entry.second[0] + entry.second[1] > 0; });
}

std::string all_class_changes(const Changes& changes) {
  std::string html;
  if (holds_any(changes.pictures_per_class))
    html += class_changes(changes.pictures_per_class, "pictures");
  if (html.empty() || holds_any(changes.boxes_per_class))
    html += class_changes(changes.boxes_per_class, "boxes");
  return html;
}

std::string size_changes(const Snapshot& before, const Snapshot& now) {
  const auto &old_sizes = before.statistics.box_side_histogram,
             &sizes = now.statistics.box_side_histogram;
  const auto is_empty = [](const std::vector<std::int64_t>& counts) {
    return std::ranges::all_of(counts, [](auto n) { return n == 0; });
  };
  if (is_empty(old_sizes) || is_empty(sizes)) return "";
  if (old_sizes.size() != sizes.size()) {
    return "<p class=\"soft\">The frames had a side of " + std::to_string(before.identity.side) +
           " pixels and now have one of " + std::to_string(now.identity.side) +
           ": box sizes are not compared.</p>\n";
  }
  return "<h3>Box sizes</h3>\n" + colour_key({"before", "now"}) +
         size_change_chart(old_sizes, sizes);
}

std::string brightness_changes(const Statistics& before, const Statistics& now) {
  std::string rows;
  const auto add = [&](const std::string& name, double then, double today) {
    const std::string sign = today > then ? "+" : "";
    rows += "<tr><td>" + name + "</td><td class=\"n\">" + fixed(then, 1) + "</td><td class=\"n\">" +
            fixed(today, 1) + "</td><td class=\"n\">" + sign + fixed(today - then, 1) +
            "</td></tr>\n";
  };
  add("luma", brightness(before), brightness(now));
  add("red", before.channel_mean[0], now.channel_mean[0]);
  add("green", before.channel_mean[1], now.channel_mean[1]);
  add("blue", before.channel_mean[2], now.channel_mean[2]);
  return "<h3>Brightness</h3>\n<table><tr><th>mean of the clean train frames, 0 to 255</th>" +
         std::string(kBeforeAndNow) + rows + "</table>\n";
}

std::string change_table(const Changes& changes) {
  return "<table>" + name_list("added", "added", changes.added) +
         name_list("removed", "removed", changes.removed) +
         name_list("new labels", "relabelled", changes.relabelled) +
         name_list("other split", "moved", changes.moved) +
         name_list("renamed", "renamed", changes.renamed) + "</table>\n" +
         all_class_changes(changes);
}

}  // namespace

std::string rejects_section(const ReportSource& source) {
  const std::int64_t generation = source.reader.snapshot().generation;
  std::vector<ReportedReject> rejects = from_ledger(source.store, generation);
  add_others(quarantined(source.store, generation), rejects);
  if (rejects.empty()) return section("Rejects", "<p class=\"soft\">Nothing was rejected.</p>\n");
  std::string html = "<table><tr><th>where</th><th>what, and what to do</th></tr>\n";
  for (std::size_t i = 0; i < std::min(rejects.size(), source.options.rejects); ++i) {
    html += "<tr data-reject><td class=\"wrap\">" + escaped(rejects[i].where) +
            "</td><td class=\"wrap\">" + escaped(rejects[i].why) + "</td></tr>\n";
  }
  html += "</table>\n";
  if (rejects.size() > source.options.rejects) {
    html += "<p class=\"soft\">And " +
            grouped(static_cast<std::int64_t>(rejects.size() - source.options.rejects)) +
            " more: all are in <code>" + escaped(source.store.quarantine_path().string()) +
            "</code>.</p>\n";
  }
  return section("Rejects", html);
}

std::string changes_section(const ReportSource& source) {
  const Snapshot& now = source.reader.snapshot();
  const std::vector<std::int64_t> generations = source.store.generations();
  const std::string title = "Since the previous snapshot";
  if (now.parent == 0)
    return section(title, "<p class=\"soft\">This is the store's first snapshot.</p>\n");
  if (std::ranges::find(generations, now.parent) == generations.end()) {
    return section(title, "<p class=\"soft\">Snapshot " + std::to_string(now.parent) +
                              " is no longer in the store.</p>\n");
  }
  const Snapshot before = source.store.snapshot(now.parent);
  const Changes changes = compare(before, source.store.ledger(before.generation), now,
                                  source.store.ledger(now.generation));
  return section("Since snapshot " + std::to_string(before.generation),
                 change_table(changes) + size_changes(before, now) +
                     brightness_changes(before.statistics, now.statistics));
}

}  // namespace letterpress
