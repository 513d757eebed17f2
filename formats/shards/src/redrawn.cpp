#include "letterpress/shards/redrawn.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace letterpress {
namespace {

using Row = std::tuple<Hash128, Hash128, std::string, std::int32_t>;

// What a ledger says that decides rows, whatever the order of its pictures.
std::vector<Row> stored_pictures(const Store& store, std::int64_t generation) {
  std::vector<Row> pictures;
  for (LedgerEntry& entry : store.ledger(generation)) {
    if (entry.state == InputState::stored)
      pictures.emplace_back(entry.picture_hash, entry.labels_hash, std::move(entry.split),
                            entry.views);
  }
  std::ranges::sort(pictures);
  return pictures;
}

}  // namespace

bool is_redrawn(const Store& store, const Snapshot& before, const Snapshot& after) {
  BuildIdentity then = before.identity, now = after.identity;
  if (then == now) return false;
  then.draw = now.draw = 0;
  then.redrawn.clear();
  now.redrawn.clear();
  return then == now && before.views == after.views && before.classes == after.classes &&
         before.accounting == after.accounting &&
         stored_pictures(store, before.generation) == stored_pictures(store, after.generation);
}

}  // namespace letterpress
