#include "trainer/loader/rows/read_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "letterpress/base/error.h"
#include "letterpress/machine/file_system.h"
#include "letterpress/machine/memory.h"
#include "trainer/loader/rows/direct_source.h"

namespace letterpress {
namespace {

std::string size_text(std::int64_t bytes) {
  return fmt::format("{:.{}f} GB", static_cast<double>(bytes) / 1e9,
                     bytes < 10'000'000'000 ? 2 : 0);
}

// Leaves a share for the training itself.
bool stays_in_memory(const ReadSetting& setting) {
  return setting.is_memory || static_cast<double>(setting.store_bytes) <=
                                  0.8 * static_cast<double>(setting.memory_bytes);
}

ReadChoice chosen_for(const ReadSetting& setting) {
  if (setting.compressed)
    return {ReadBy::pread, size_text(setting.store_bytes) +
                               " of pixels, compressed: the reader threads decompress them"};
  const std::string pixels = size_text(setting.store_bytes) + " of pixels";
  const std::string memory = size_text(setting.memory_bytes) + " of memory";
  if (!stays_in_memory(setting)) {
    const std::string why = pixels + " do not stay in " + memory;
    if (!setting.local)
      return {ReadBy::pread, why + ", and " + setting.file_system + " is not a local disk"};
    if (!setting.no_direct.empty())
      return {ReadBy::pread, why + "; direct reads do not work: " + setting.no_direct};
    return {ReadBy::direct, why};
  }
  const std::string fits = setting.is_memory
                               ? pixels + " are in memory (" + setting.file_system + ")"
                               : pixels + " stay in " + memory;
  if (!setting.local)
    return {ReadBy::pread, fits + "; " + setting.file_system +
                               " is not a local disk, so its files are not mapped"};
  return {ReadBy::mmap, fits + (setting.normalises ? " and are normalised in one pass from there"
                                                   : " and are copied past the caches from there")};
}

}  // namespace

ReadBy read_by_from(const std::string& name) {
  const auto* const found = std::find(kReadNames.begin(), kReadNames.end(), name);
  if (found != kReadNames.end()) return static_cast<ReadBy>(found - kReadNames.begin());
  throw Error("--read is '" + name + "', must be auto, pread, mmap or direct", Exit::usage);
}

ReadSetting examine_reading(const SnapshotReader& snapshot, bool normalises) {
  ReadSetting setting{.memory_bytes = memory_for_files(), .normalises = normalises};
  const auto shards = static_cast<std::int32_t>(snapshot.snapshot().shards.size());
  if (shards == 0) return setting;
  for (std::int32_t i = 0; i < shards; ++i) {
    const ShardReader& shard = snapshot.shard(i);
    setting.compressed |= shard.spec().compression != Compression::none;
    for (std::int64_t row = 0; row < shard.rows(); ++row)
      setting.store_bytes += shard.stored_pixels(row).bytes;
  }
  const std::filesystem::path& path = snapshot.shard(0).path();
  const FileSystem found = file_system_of(path);
  setting.file_system = found.name;
  setting.local = found.local;
  setting.is_memory = found.is_memory;
  setting.no_direct = why_no_direct_reads(path);
  return setting;
}

ReadChoice choose_read(ReadBy wanted, const ReadSetting& setting) {
  const auto found = [&](ReadChoice choice) {
    choice.from_disk = choice.by == ReadBy::direct || !stays_in_memory(setting);
    return choice;
  };
  if (wanted == ReadBy::automatic) return found(chosen_for(setting));
  if (wanted != ReadBy::pread && setting.compressed)
    throw Error({.where = "--read " + std::string(kReadNames[static_cast<std::size_t>(wanted)]),
                 .what = "shards of this snapshot are compressed (build --compress deflate), and "
                         "only pread reads those",
                 .fix = "use --read pread, or auto"},
                Exit::configuration);
  if (wanted == ReadBy::direct && !setting.no_direct.empty())
    throw Error({.where = "rows cannot be read directly",
                 .what = setting.no_direct,
                 .fix = "use --read pread"},
                Exit::configuration);
  return found({wanted, "as asked for"});
}

std::string to_string(const ReadChoice& choice) {
  return "rows are read by " + std::string(kReadNames[static_cast<std::size_t>(choice.by)]) + ": " +
         choice.reason;
}

}  // namespace letterpress
