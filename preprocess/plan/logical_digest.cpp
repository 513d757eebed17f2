#include "preprocess/plan/logical_digest.h"

#include <cstdint>
#include <optional>

#include "letterpress/shards/tiles.h"

namespace letterpress {
namespace {

// Big-endian addition, byte by byte.
void add(Hash128& sum, const Hash128& term) {
  unsigned carry = 0;
  for (std::size_t i = sum.bytes.size(); i-- > 0;) {
    carry += unsigned{sum.bytes[i]} + term.bytes[i];
    sum.bytes[i] = static_cast<std::uint8_t>(carry & 0xff);
    carry >>= 8;
  }
}

}  // namespace

Hash128 logical_digest(const BuildIdentity& identity, const std::vector<LedgerEntry>& ledger) {
  Hasher common;
  common.add_value(identity.side)
      .add_value(identity.seed)
      .add_value(identity.draw)
      .add(identity.recipe_json);
  const Hash128 prefix = common.digest128();
  Hash128 sum;
  const auto add_row = [&](const LedgerEntry& entry, std::int32_t view,
                           std::optional<std::int32_t> tile) {
    Hasher row;
    row.add(std::as_bytes(std::span(prefix.bytes)))
        .add(std::as_bytes(std::span(entry.picture_hash.bytes)));
    row.add(std::as_bytes(std::span(entry.labels_hash.bytes))).add_value(view).add(entry.split);
    if (tile) row.add_value(*tile);
    if (const std::uint64_t drawn = identity.draw_of(view); drawn != identity.draw)
      row.add("drawn anew").add_value(drawn);
    add(sum, row.digest128());
  };
  const bool tiled = tile_rule_of_recipe(identity.recipe_json).has_value();
  for (const LedgerEntry& entry : ledger) {
    if (entry.state != InputState::stored) continue;
    for (std::int32_t view = 0; !tiled && view <= entry.views; ++view)
      add_row(entry, view, std::nullopt);
    for (const RowRun& run : entry.rows) {
      for (std::int32_t view = run.view; tiled && view < run.view + run.n; ++view)
        add_row(entry, view, run.tile);
    }
  }
  return sum;
}

}  // namespace letterpress
