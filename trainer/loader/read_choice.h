#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "letterpress/shards/store.h"

namespace letterpress {

/// How the bytes of rows come to the reader threads.
enum class ReadBy {
  automatic,  ///< choose_read() decides
  pread,      ///< copied from the page cache: works everywhere, errors are error codes
  mmap,   ///< taken from the page cache where it lies, by one pass that copies or normalises past
          ///< the caches; for local disks
  direct  ///< past the page cache (O_DIRECT), several reads ahead per thread (io_uring): for stores
          ///< that are larger than memory
};
inline constexpr std::array<std::string_view, 4> kReadNames{"auto", "pread", "mmap",
                                                            "direct"};  ///< by ReadBy
ReadBy read_by_from(const std::string& name);  ///< throws Error (usage) that lists the names

/// What the choice depends on.
struct ReadSetting {
  std::string file_system{};  ///< "ext4"
  bool local = true;          ///< a disk of this machine, or its memory
  bool is_memory =
      false;  ///< the file system is this machine's memory: nothing there can be read cold
  std::int64_t store_bytes = 0;   ///< pixels of the snapshot
  std::int64_t memory_bytes = 0;  ///< that may hold them: what is free, or page cache already
  bool normalises = false;        ///< the pixels are wanted as floats
  bool compressed = false;        ///< some shards are
  std::string no_direct{};        ///< why direct reads are not to be had; empty: they are
};
/// Looks at the snapshot's disk, at this machine's memory and, once, whether a direct read works.
/// Throws nothing: what cannot be told counts as remote, or as no memory.
ReadSetting examine_reading(const SnapshotReader& snapshot, bool normalises);

struct ReadChoice {
  ReadBy by = ReadBy::pread;
  std::string reason{};    ///< for people
  bool from_disk = false;  ///< in each epoch: rows are read directly, or do not stay in memory
};
/// Throws Error (configuration) with the way out when `wanted` is direct and that is not to be had,
/// and when compressed rows are wanted by anything but pread.
ReadChoice choose_read(ReadBy wanted, const ReadSetting& setting);
/// "rows are read by pread: ..."
std::string to_string(const ReadChoice& choice);

}  // namespace letterpress
