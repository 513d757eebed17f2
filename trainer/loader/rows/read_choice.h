#pragma once
#include <cstdint>
#include <string>

#include "letterpress/shards/store.h"
#include "trainer/loader/rows/read_by.h"

namespace letterpress {

ReadBy read_by_from(const std::string& name);  ///< throws Error (usage) that lists the names

/// What the choice depends on.
struct ReadSetting {
  std::string file_system{};      ///< "ext4"
  bool local = true;              ///< a disk of this machine, or its memory
  bool is_memory = false;         ///< the file system is this machine's memory: no cold reads there
  std::int64_t store_bytes = 0;   ///< pixels of the snapshot
  std::int64_t memory_bytes = 0;  ///< that may hold them: free memory and page cache
  bool normalises = false;        ///< the pixels become floats
  bool compressed = false;        ///< some shards are
  std::string no_direct{};        ///< why direct reads do not work; empty: they do
};
/// Looks at the snapshot's disk, at this machine's memory and, once, whether a direct read works.
/// Throws nothing: an unknown disk counts as remote, unknown memory as none.
ReadSetting examine_reading(const SnapshotReader& snapshot, bool normalises);

struct ReadChoice {
  ReadBy by = ReadBy::pread;
  std::string reason{};  ///< for people
  bool from_disk =
      false;  ///< each epoch reads from the disk: directly, or because rows do not stay in memory
};
/// Throws Error (configuration) with a fix when `wanted` is direct and direct reads do not work, or
/// when rows are compressed and `wanted` is not pread.
ReadChoice choose_read(ReadBy wanted, const ReadSetting& setting);
/// "rows are read by pread: ..."
std::string to_string(const ReadChoice& choice);

}  // namespace letterpress
