#pragma once
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "letterpress/shards/store.h"
#include "preprocess/inputs/build_listener.h"
#include "preprocess/lint/finding.h"

namespace letterpress {

/// All findings of a snapshot, kind by kind, each in the order of the ledger. listener: hears of
/// the stages. The pictures themselves are looked at through the rows of the store; label files and
/// pictures' headers only for "orientation" and "size": when they cannot be read any more, `notes`
/// tells it. Returns early, with only some of them, on `stop`. Throws Error when a shard is
/// damaged.
struct LintResult {
  std::vector<Finding> findings;
  std::vector<std::string> notes;
};
LintResult lint(const Store& store, const SnapshotReader& reader, const LintOptions& options,
                BuildListener& listener, const StopRequest& stop);

}  // namespace letterpress
