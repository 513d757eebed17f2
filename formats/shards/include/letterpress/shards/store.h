#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/reject.h"
#include "letterpress/shards/ledger.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/shard.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {

/// A folder of immutable shards and snapshots:
///   FORMAT  lock  plans/<digest>/  shards/<digest>.h5  snapshots/00000042.json + .ledger.h5  pins/
///   quarantine.jsonl  cache/  tmp/
/// Readers need no lock: what a snapshot names does not change. One builder at a time holds
/// `lock()`. Somebody else may have made it: none of its folders and files may be a symbolic link,
/// so that nothing outside of it is read, written or removed. The store itself may be named by one.
class Store {
 public:
  /// Whether a folder is one, of whatever format. Error when it cannot be examined.
  static bool is_at(const std::filesystem::path& folder);
  /// Error when it is not a store, of a newer format, or one of its folders is a symbolic link.
  static Store open(const std::filesystem::path& folder);
  /// Makes it when absent or empty, else opens it. Error when the folder holds something else;
  /// (busy) when another process is making it.
  static Store create(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const noexcept { return folder_; }
  std::filesystem::path shard_path(const Hash128& digest) const;
  std::filesystem::path snapshot_path(std::int64_t generation) const;
  std::filesystem::path shards_folder() const { return folder_ / "shards"; }
  std::filesystem::path temporary_folder() const { return folder_ / "tmp"; }
  std::filesystem::path plan_folder(const Hash128& plan) const;  ///< Error where it is a link
  std::vector<std::filesystem::path> plan_folders() const;       ///< Error where one is a link
  std::filesystem::path quarantine_path() const;
  std::filesystem::path cache_folder() const { return folder_ / "cache"; }

  /// Held by a builder while it works; Error (busy) when another process holds it. Also removes
  /// what dead builders left in tmp/, and makes durable what they had given a name.
  FileLock lock() const;

  void check_can_write() const;  ///< Error where this user cannot make files in it

  std::vector<std::int64_t> generations() const;     ///< ascending
  Snapshot snapshot(std::int64_t generation) const;  ///< Error lists the generations there are
  /// Nothing when no snapshot was published yet; Error when the newest is damaged.
  std::optional<Snapshot> latest() const;
  /// Error when the file is not the one that the snapshot names, in any byte.
  std::vector<LedgerEntry> ledger(std::int64_t generation) const;
  /// What to say when reading what a snapshot names has failed: `error`, but that the snapshot was
  /// removed meanwhile (busy) where it is there no more: gc and refresh remove old ones.
  Error unless_removed(std::int64_t generation, const Error& error) const;

  /// Ledger first, then the snapshot, each by link without replace. False when that generation
  /// exists already (another builder was first).
  [[nodiscard]] bool publish(Snapshot snapshot, const std::vector<LedgerEntry>& ledger) const;

  /// Removes a snapshot, then its ledger; its shards stay. No error when it is gone already.
  void remove_snapshot(std::int64_t generation) const;
  /// Seconds since the snapshot was published.
  std::int64_t age_s(std::int64_t generation) const;

  /// Appends to quarantine.jsonl, {"time","generation","where","what","fix"} per line, those
  /// rejects that it does not hold yet: one line per reject, with the generation that first had it.
  /// To be called before publish(), so that a snapshot never lacks its lines.
  void quarantine(std::int64_t generation, const std::vector<Reject>& rejects) const;

 private:
  std::int64_t newest() const;  // 0: none
  explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

/// Lease of a run on a snapshot: pins/<generation>-<run>.json, so that gc keeps what a training
/// reads. One thread. Removed by release(); a pin left by a dead run expires 14 days after
/// its last renewal.
class Pin {
 public:
  Pin(const Store& store, std::int64_t generation, const std::string& run,
      const std::filesystem::path& run_folder);
  void renew();
  void release();
  struct Holder {
    std::int64_t generation;
    std::string run, host, folder;
    std::int64_t expires;  ///< seconds since 1970
    std::filesystem::path file{};
  };
  static std::vector<Holder> list(const Store& store);
  /// Files that runs were killed at when they made their pins, as long ago as a pin expires. A
  /// younger one is replaced when its run goes on.
  static std::vector<std::filesystem::path> unfinished(const Store& store);

 private:
  std::filesystem::path file_;
  Holder holder_;
};

/// Where a row is.
struct RowPlace {
  std::int32_t shard = -1;  ///< index into Snapshot::shards
  std::int64_t row = -1;
  bool operator==(const RowPlace&) const = default;
};
/// Where the rows of one picture are or, in a store of tiles, those of one of its tiles.
struct PictureRows {
  std::uint64_t picture_id = 0;
  std::int32_t tile = 0;
  RowPlace clean{};                   ///< view 0
  std::vector<RowPlace> augmented{};  ///< views 1..K, may be empty
};

/// An opened snapshot: its shards, and the pictures of each split in ledger-independent order
/// (ascending by source hash, then by tile, so that the order does not depend on which build stored
/// them). Thread-safe for reading.
class SnapshotReader {
 public:
  /// Opens and checks every shard. Throws Error naming the damaged one.
  SnapshotReader(const Store& store, Snapshot snapshot);
  const Snapshot& snapshot() const noexcept { return snapshot_; }
  const ShardReader& shard(std::int32_t index) const {
    return shards_.at(static_cast<std::size_t>(index));
  }
  /// Pictures of a split, dead rows left out. Error lists the splits there are.
  std::vector<PictureRows> pictures(const std::string& split) const;

 private:
  Snapshot snapshot_;
  std::vector<ShardReader> shards_;
};

}  // namespace letterpress
