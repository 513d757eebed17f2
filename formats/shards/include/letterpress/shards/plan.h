#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/shards/ledger.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {

/// A picture to be decoded, and where its rows go.
struct PlannedPicture {
  /// Index into Plan::ledger, which has path, name, hashes, split, size, shard and rows.
  std::int32_t entry = -1;
  std::int32_t label = -1;
  /// Bytes of the picture within path; length -1: to the end (tars need no second type).
  std::int64_t offset = 0, length = -1;
  /// Pixels of the displayed frame, checked and clipped; class ids of Plan::snapshot.classes.
  std::vector<LabelBox> boxes{};
};

/// A row that is copied from an older shard, not decoded again.
struct CopiedRow {
  std::int32_t source = -1;  ///< index into Plan::sources
  std::int64_t row = -1;     ///< there
  std::int32_t entry = -1;   ///< index into Plan::ledger: whose row it is
};

/// A shard to be made, of rows that are drawn from pictures or (a repacked one) of copies only.
/// Shards of one group hold views of the same pictures, so a group is decoded once: the unit of
/// `map --part`.
struct PlannedShard {
  std::int32_t index = -1;  ///< in Plan::snapshot.shards, whose digest is zero until reduce
  std::int32_t group = 0;
  std::vector<std::int32_t> row_picture{};  ///< N: index into Plan::pictures
  std::vector<std::int32_t> row_view{};     ///< N
  std::vector<std::int32_t> row_tile{};     ///< N in a store of tiles, else empty
  std::vector<CopiedRow> copies{};  ///< N of a repacked shard; then the three above are empty
  std::int64_t rows() const noexcept {
    return static_cast<std::int64_t>(row_picture.size() + copies.size());
  }
  std::int32_t tile(std::size_t row) const { return row_tile.empty() ? 0 : row_tile.at(row); }
};

/// Everything that map and reduce need: which row is made from which picture, and the snapshot that
/// results.
struct Plan {
  /// As it will be: new shards with a zero digest, kept ones with their dead rows.
  Snapshot snapshot{};
  std::vector<LedgerEntry> ledger{};  ///< one per input
  std::vector<PlannedPicture> pictures{};
  std::vector<PlannedShard> shards{};
  std::vector<Hash128> sources{};  ///< digests of the shards that rows are copied from
};

/// HDF5 file with columns. The digest names the plan's folder; equal plans have equal bytes.
Hash128 plan_digest(const Plan& plan);
void write_plan(const std::filesystem::path& file, const Plan& plan);
Plan read_plan(const std::filesystem::path& file);  ///< throws Error when cut, changed or newer

/// Hand-over of one finished shard: plans/<digest>/<shard index>.json.
struct ShardRecord {
  std::int32_t shard = -1;  ///< index into Plan::shards
  Hash128 digest{};
  struct Dead {
    std::int64_t row;
    std::int32_t status;
    std::string what, fix;  ///< of the picture's reject
  };
  std::vector<Dead> dead{};  ///< rows whose picture could not be decoded
  /// Sum over all good clean pixels, RGB; 0 for augmented shards.
  std::array<double, 3> channel_sum{};
  std::int64_t pixels = 0;  ///< how many pixels that sum covers
};
std::string to_json(const ShardRecord& record);
ShardRecord shard_record_from_json(const std::string& text, const std::string& where);

}  // namespace letterpress
