#include "preprocess/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "letterpress/base/error.h"
#include "preprocess/inputs/examine.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/label_sizes.h"
#include "preprocess/inputs/label_turns.h"
#include "preprocess/inputs/stat_cache.h"
#include "preprocess/lint/searches.h"
#include "preprocess/lint/seen_pictures.h"

namespace letterpress {
namespace {

std::string size_text(std::int32_t width, std::int32_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

using Counts = std::map<std::string, std::vector<std::int64_t>>;  // split -> boxes per class

Counts boxes_per_class(const LintSource& source) {
  Counts counts;
  for (const LedgerEntry& entry : source.ledger) {
    if (entry.state != InputState::stored) continue;
    std::vector<std::int64_t>& classes = counts[entry.split];
    classes.resize(source.reader.snapshot().classes.size());
    const ShardReader& shard = source.reader.shard(entry.rows.front().shard);
    const std::int64_t row = entry.rows.front().row;
    for (const LabelBox& box : shard.label_boxes(row))
      ++classes.at(static_cast<std::size_t>(box.class_id));
    if (const std::int32_t label = shard.label(row); label >= 0)
      ++classes.at(static_cast<std::size_t>(label));
  }
  return counts;
}

// Candidates that say more than the picture's header, or something else. entry: of the store, whose
// split may be a drawn one.
void judge_header(const Candidate& candidate, const LedgerEntry& entry, const LabelTurns& turns,
                  std::vector<Finding>& findings) {
  const Item& item = candidate.item;
  if (states_other_size(candidate)) {
    findings.push_back(finding(
        "size", entry,
        "is " + size_text(candidate.width, candidate.height) + " pixels, its label file says " +
            size_text(item.width, item.height),
        "the labels are of another version of the picture: scale them, or restore that version"));
    return;
  }
  if (!is_turn_untold(candidate)) return;
  findings.push_back(finding("orientation", entry,
                             "has EXIF orientation " + std::to_string(candidate.orientation) +
                                 ", and its label file does not say whether the boxes are meant "
                                 "before or after that turn; taken as " +
                                 (turns.are_before() ? "before, as others are" : "after"),
                             "look at it in `preview`; when the boxes are beside the objects, turn "
                             "the picture's pixels and remove the tag"));
}

// near-duplicate, same-scene, and how much of each split they are.
void find_leaks(const LintSource& source, LintResult& result) {
  const std::vector<SeenPicture> all = look_at_all(source);
  if (source.stop) return;
  Leaking leaking;
  find_near_duplicates(source, all, result.findings, leaking);
  find_same_scenes(source, all, result.findings, leaking);
  std::map<std::string, SplitLeak> splits;
  for (const SeenPicture& seen : all) {
    const std::string& name = seen.entry->split;
    if (name == "train") continue;
    SplitLeak& split = splits[name];
    split.split = name;
    ++split.pictures;
    split.leaking += leaking.contains(seen.entry) ? 1 : 0;
  }
  for (auto& [name, split] : splits) result.leaks.push_back(split);
}

}  // namespace

Finding finding(const char* kind, const LedgerEntry& entry, std::string what, std::string fix) {
  return {kind, entry.name, entry.where, entry.split, std::move(what), std::move(fix)};
}

void find_duplicates(const LintSource& source, std::vector<Finding>& findings) {
  for (const LedgerEntry& entry : source.ledger) {
    if (entry.state != InputState::duplicate) continue;
    findings.push_back(finding("duplicate", entry, entry.reason,
                               "take one of the two lines out of the label file"));
  }
}

void find_imbalance(const LintSource& source, std::vector<Finding>& findings) {
  const Counts counts = boxes_per_class(source);
  const std::vector<std::string>& classes = source.reader.snapshot().classes;
  const auto train = counts.find("train");
  if (train == counts.end() || classes.size() < 2) return;
  const auto most = std::max_element(train->second.begin(), train->second.end());
  const std::string& largest = classes[static_cast<std::size_t>(most - train->second.begin())];
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::int64_t n = train->second[c];
    const auto tell = [&](const std::string& split, const std::string& what,
                          const std::string& fix) {
      findings.push_back({"imbalance", classes[c], "", split, what, fix});
    };
    if (static_cast<double>(n) * source.options.imbalance < static_cast<double>(*most)) {
      tell("train",
           "has " + std::to_string(n) + " in train, '" + largest + "' has " + std::to_string(*most),
           "label more of it, or expect little of this class");
    }
    for (const auto& [split, boxes] : counts) {
      if (split == "train" || boxes[c] > 0 || n == 0) continue;
      tell(split, "has " + std::to_string(n) + " in train and none in " + split,
           "without one there nothing can be measured of this class: move or label some");
    }
  }
}

void find_header_mismatches(const LintSource& source, std::vector<Finding>& findings) {
  BuildOptions options = build_options_from_json(source.reader.snapshot().configuration_json);
  options.store = source.store.folder();
  Inputs inputs = gather(options, source.reader.snapshot().classes);
  examine(inputs, options, StatCache::load(source.store.cache_folder() / "stat"), source.listener,
          source.stop);
  const LabelTurns turns(inputs);
  if (options.label_size == LabelSize::scale) settle_label_sizes(inputs, options.label_size);
  std::unordered_map<std::string_view, const LedgerEntry*> known;
  for (const LedgerEntry& entry : source.ledger) known.emplace(entry.path, &entry);
  for (const Candidate& candidate : inputs.candidates) {
    const auto entry = known.find(candidate.item.path);
    if (!candidate.reject && entry != known.end())
      judge_header(candidate, *entry->second, turns, findings);
  }
}

std::string leak_text(const SplitLeak& leak) {
  return fmt::format(
      "{} of {} pictures of {} ({:.3g}%) show what train shows: scores there are too good",
      leak.leaking, leak.pictures, leak.split,
      100.0 * static_cast<double>(leak.leaking) / static_cast<double>(leak.pictures));
}

namespace {

// What needs no pixels.
void search_tables(const LintSource& source, std::vector<Finding>& findings) {
  find_duplicates(source, findings);
  find_odd_boxes(source, findings);
  find_double_boxes(source, findings);
  find_imbalance(source, findings);
}

}  // namespace

std::vector<Finding> lint_tables(const Store& store, const SnapshotReader& reader,
                                 const std::vector<LedgerEntry>& ledger,
                                 const LintOptions& options) {
  BuildListener silent;
  const StopRequest never;
  const LintSource source{store, reader, ledger, options, silent, never};
  std::vector<Finding> findings;
  search_tables(source, findings);
  return findings;
}

LintResult lint(const Store& store, const SnapshotReader& reader, const LintOptions& options,
                BuildListener& listener, const StopRequest& stop) {
  const std::vector<LedgerEntry> ledger = store.ledger(reader.snapshot().generation);
  const LintSource source{store, reader, ledger, options, listener, stop};
  LintResult result;
  find_leaks(source, result);
  if (stop) return result;
  search_tables(source, result.findings);
  try {
    find_header_mismatches(source, result.findings);
  } catch (const Error& error) {
    result.notes.push_back(std::string("orientation and size were not checked: ") + error.what());
  }
  return result;
}

}  // namespace letterpress
