#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
#include "letterpress/shards/plan.h"
#include "preprocess/plan/compare_previous.h"
#include "preprocess/plan/estimate.h"
#include "preprocess/reduce/publish.h"

namespace letterpress {

/// What a build did.
struct BuildReport {
  std::int64_t generation = 0;  ///< newest snapshot now; 0: none
  bool published = false;       ///< false: nothing had changed, a dry run, or stopped
  int stopped_by =
      0;  ///< the signal when it stopped early; finished shards are kept for the next run
  Accounting accounting;          ///< of the snapshot, or of the plan when nothing was published
  std::int64_t pictures_new = 0;  ///< of the stored: some of their rows had to be made; planned
                                  ///< ones, where nothing was published
  std::int64_t pictures_known =
      0;  ///< of these: in the last snapshot too, by path or bytes: edited, or made anew
  std::int64_t pictures_removed = 0;  ///< in the last snapshot, not in this one
  SplitMoves moved;                   ///< since the last snapshot
  std::int64_t rows_new = 0;          ///< as pictures_new
  std::int64_t rows_copied =
      0;  ///< planned: out of shards that are mostly dead or small, into fewer
  std::int64_t rows_resumed =
      0;  ///< of these: in shards that an earlier, interrupted build had finished
  std::int64_t shards_new = 0;       ///< planned
  std::int64_t bytes_new = 0;        ///< of the pixels of rows_new
  std::optional<Estimate> estimate;  ///< of a dry run
  std::vector<std::filesystem::path>
      damaged_shards;  ///< of the last snapshot, missing or damaged: their rows are made anew
  std::optional<Drift>
      drift;  ///< from the last snapshot to the one that was published; none for the first
  std::map<std::string, std::int64_t> pictures_per_split;  ///< stored
  std::vector<std::string>
      recognised;  ///< per label file: "train.txt: voc (lists ids ...)", and remarks on it
  std::vector<Reject> rejects;      ///< pictures and boxes
  std::vector<LedgerEntry> ledger;  ///< of the snapshot, where this build published it
  std::map<std::string, std::int64_t>
      findings;                ///< of lint_tables(), by kind; filled by who shows the report
  std::string configuration;   ///< to_json(options)
  std::filesystem::path plan;  ///< of plan(): what map and reduce take; empty: nothing has changed
  std::int64_t groups = 0;     ///< of that plan: more parts than this have nothing to do
};

/// Fills what a report says of a plan: new pictures, rows, shards, bytes, pictures per split.
void describe_plan(const Plan& plan, BuildReport& report);
/// Fills what a report says of the snapshot that its plan has become.
void describe_published(Published published, BuildReport& report);

}  // namespace letterpress
