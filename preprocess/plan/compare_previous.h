#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "letterpress/shards/plan.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/splits.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// Rejects pictures that could not be decoded the last time again without a try: same bytes, same
/// reason. Not under --rebuild. The ledger has what and fix in one text: it is the new reject's
/// `what`.
void carry_rejects(Inputs& inputs, const Previous& previous);

/// Where the last snapshot has the pictures of train and val. `previous` outlives it.
EarlierSplits earlier_splits(const Previous& previous, const BuildOptions& options);

/// Throws Error (data) when more than max_removed of the stored pictures are gone, that is neither
/// their bytes nor their path turn up again: deleted, or on a disk that is not mounted.
void check_removed(const Previous& previous, const Inputs& inputs, double max_removed);

/// Throws Error (data) when more than max_removed of the pictures with boxes have none now: their
/// label files are gone, or on a disk that is not mounted.
void check_unlabelled(const Previous& previous, const Inputs& inputs, double max_removed);

/// Pictures that were stored and are not in the new ledger, by their bytes.
std::int64_t count_removed(const Previous& previous, const std::vector<LedgerEntry>& ledger);

/// Stored pictures that were in another split, by that and the one they are in now.
using SplitMoves = std::map<std::pair<std::string, std::string>, std::int64_t>;
/// What has become of stored pictures, which are the same by their bytes, or else by their path.
struct PictureChanges {
  SplitMoves moved;
  /// Of another size, with the very boxes in pixels: their labels may be of the earlier pictures.
  std::int64_t resized = 0;
  std::string first_resized{};  ///< "/set/1.jpg was 200x160 and is 100x80"
};
PictureChanges changes_since(const Previous& previous, const std::vector<LedgerEntry>& ledger);

/// Throws Error (data) when more than options.max_moved of the pictures, by their bytes, that a
/// split held out are held out no more: of val in train, of any other split in train or val. Where
/// other flags than then make the splits, that is what they are for. recognised: what label files
/// state, which says why.
void check_moved(const Previous& previous, const std::vector<LedgerEntry>& ledger,
                 const BuildOptions& options, const std::vector<std::string>& recognised);

/// Whether publishing the plan would store something that the last snapshot does not state.
bool differs(const Plan& plan, const Previous& previous);

}  // namespace letterpress
