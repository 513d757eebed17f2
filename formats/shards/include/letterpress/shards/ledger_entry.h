#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/hash.h"

namespace letterpress {

/// What became of one input picture.
enum class InputState : std::uint8_t { stored = 0, duplicate = 1, rejected = 2 };

/// Adjacent rows of one shard that hold the views `view`, `view` + 1, ... of one picture or, in a
/// store of tiles, of one of its tiles. The clean row (view 0) is a run of its own.
struct RowRun {
  std::int32_t shard = -1;  ///< index into Snapshot::shards
  std::int64_t row = -1;    ///< of the first
  std::int32_t view = 0;    ///< of the first
  std::int32_t n = 1;
  std::int32_t tile = 0;  ///< number in the picture's TileGrid; 0 where pictures are whole
  bool operator==(const RowRun&) const = default;
};

/// One row of a snapshot's ledger: one per picture found in the label files.
struct LedgerEntry {
  std::string path{};      ///< as opened; empty when it was never found
  std::string name{};      ///< as the label file wrote it
  std::string where{};     ///< label file and line
  Hash128 picture_hash{};  ///< zero when unread
  Hash128 labels_hash{};   ///< boxes, flags and class *names* after merging
  std::string split{};     ///< "train", "val", ...; of a reject perhaps empty: unknown
  InputState state = InputState::stored;
  std::string reason{};        ///< of a reject
  std::int64_t image_id = -1;  ///< the format's own (COCO), else -1
  std::int32_t boxes = 0;      ///< boxes stored
  std::int32_t views = 0;      ///< augmented rows
  /// Where view 0 and views 1..views are, ascending by tile, then by view; empty unless stored.
  std::vector<RowRun> rows{};
  std::int32_t width = 0, height = 0;  ///< displayed frame
  bool operator==(const LedgerEntry&) const = default;
};

}  // namespace letterpress
