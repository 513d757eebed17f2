#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "letterpress/shards/store.h"
#include "preprocess/lint/finding.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// How much of a split is known from training.
struct SplitLeak {
  std::string split;
  std::int64_t pictures = 0;  ///< stored
  std::int64_t leaking = 0;   ///< of these: with a near-duplicate or the same scene in train
  bool operator==(const SplitLeak&) const = default;
};
/// "16 of 73 pictures of val (22%) show what train shows: scores there are too good"
std::string leak_text(const SplitLeak& leak);

/// All findings of a snapshot, kind by kind, each in the order of the ledger. listener: hears of
/// the stages. The pictures themselves are looked at through the rows of the store; label files and
/// pictures' headers only for "orientation" and "size": when they cannot be read any more, `notes`
/// tells it. Returns early, with only some of them, on `stop`. Throws Error when a shard is
/// damaged.
struct LintResult {
  std::vector<Finding> findings;
  std::vector<std::string> notes;
  std::vector<SplitLeak> leaks{};  ///< one for each split but train, by name
};
LintResult lint(const Store& store, const SnapshotReader& reader, const LintOptions& options,
                BuildListener& listener, const StopRequest& stop);

/// The findings that need the tables of the store alone, no pixels and no label files: "duplicate",
/// "tiny-box", "edge", "aspect", "double-box", "imbalance". ledger: the snapshot's.
std::vector<Finding> lint_tables(const Store& store, const SnapshotReader& reader,
                                 const std::vector<LedgerEntry>& ledger,
                                 const LintOptions& options);

}  // namespace letterpress
