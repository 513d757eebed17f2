#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/base/hash.h"

namespace letterpress {

/// What became of one input picture.
enum class InputState : std::uint8_t { stored = 0, duplicate = 1, rejected = 2 };

/// One row of a snapshot's ledger: one per picture found in the label files.
struct LedgerEntry {
  std::string path{};      ///< as opened; empty when it was never found
  std::string name{};      ///< as the label file wrote it
  std::string where{};     ///< label file and line
  Hash128 picture_hash{};  ///< zero when unread
  Hash128 labels_hash{};   ///< boxes, flags and class *names* after merging
  std::string split{};     ///< "train", "val", ...
  InputState state = InputState::stored;
  std::string reason{};        ///< of a reject
  std::int64_t image_id = -1;  ///< the format's own (COCO), else -1
  std::int32_t boxes = 0;      ///< boxes stored
  /// Index into Snapshot::shards and row there, -1: none. The augmented rows of a picture are adjacent, view 1 first.
  std::int32_t clean_shard = -1, augmented_shard = -1;
  std::int64_t clean_row = -1, augmented_row = -1;
  std::int32_t views = 0;              ///< augmented rows
  std::int32_t width = 0, height = 0;  ///< displayed frame
  bool operator==(const LedgerEntry&) const = default;
};

/// HDF5, one dataset per column. Throws Error when it cannot be written or read, is cut or fails its checksum.
void write_ledger(const std::filesystem::path& file, const std::vector<LedgerEntry>& entries);
std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file);

}  // namespace letterpress
