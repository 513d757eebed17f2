#include "preprocess/plan/logical_digest.h"

#include <cstdint>

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
  for (const LedgerEntry& entry : ledger) {
    if (entry.state != InputState::stored) continue;
    for (std::int32_t view = 0; view <= entry.views; ++view) {
      Hasher row;
      row.add(std::as_bytes(std::span(prefix.bytes)))
          .add(std::as_bytes(std::span(entry.picture_hash.bytes)));
      row.add(std::as_bytes(std::span(entry.labels_hash.bytes))).add_value(view).add(entry.split);
      add(sum, row.digest128());
    }
  }
  return sum;
}

}  // namespace letterpress
