#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
#include "letterpress/shards/plan.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_options.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// What a snapshot must keep to be published: --max-rejects and --max-drift of the build.
struct Gates {
  double max_rejects = 0.01;
  double max_drift = 1;
};

/// Throws Error (configuration) when `asked` has another side, recipe or seed than the store.
void check_identity(const BuildIdentity& asked, const BuildIdentity& stored,
                    const std::string& store);

/// Throws Error (data) naming `where`, the store, when a ledger has rows that its snapshot lacks: a
/// build takes rows by it.
void check_places(const std::vector<LedgerEntry>& entries, const Snapshot& snapshot,
                  const std::string& where);

/// Throws Error (data) when more than max_rejects of the pictures found are rejected; names the
/// first of them.
/// recognised: what is known of the label files, which may say why ("add --root images").
void check_rejects(const Accounting& accounting, const std::vector<Reject>& rejects,
                   double max_rejects, const std::vector<std::string>& recognised = {});

/// Throws Error (data) when pictures to train on are rejected and none is left; names the first of
/// them.
void check_train_left(const std::vector<LedgerEntry>& ledger, const Accounting& accounting);

/// Throws Error (data) when more than max_rejected_boxes of the boxes found are rejected for what
/// they are, from pictures that stay; names the first of them.
void check_rejected_boxes(const Inputs& inputs, double max_rejected_boxes);

/// Throws Error (data) when more than max_unlabelled of the pictures found, and of those beside
/// them that no label file names, have no label file or annotation.
void check_label_files(const Inputs& inputs, double max_unlabelled);

/// Bytes of an uncompressed row with its pixels, from above. max_boxes: the shard's.
std::int64_t row_bytes(int side, std::int64_t max_boxes);
/// Bytes that the shards of a plan will take, tables included, from above; `finished` (by position
/// in plan.shards) are left out. Rows count as large as before compression: how far pictures shrink
/// is known only when all are made, and a build that is refused at its beginning costs less than
/// one that runs out of room at its end.
std::int64_t bytes_needed(const Plan& plan, const std::vector<bool>& finished);

struct Space {
  std::int64_t needed = 0;  ///< bytes of the shards to come
  std::int64_t held = 0;    ///< bytes of the shards that the new snapshot keeps
  std::int64_t free = 0;    ///< on the store's disk
  std::int64_t limit = 0;   ///< --max-store-bytes, 0: none
};
/// Throws Error with the numbers: io when the disk has too little, cannot_create when the limit is
/// exceeded.
void check_space(const std::string& store, const Space& space);

std::string percent_text(double share);  ///< "2.5%"

}  // namespace letterpress
