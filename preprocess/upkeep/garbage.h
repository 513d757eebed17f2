#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// A plan that no process has worked on for so long is garbage.
inline constexpr std::chrono::days kPlanLife{7};

struct GarbageOptions {
  std::int64_t keep =
      3;  ///< newest snapshots that stay, at least 1; more: older ones can be gone back to
  std::chrono::days older_than{7};  ///< younger snapshots stay, whatever their number
  bool redrawn_only = false;  ///< of the snapshots, only those whose pictures the next one has with
                              ///< other views are removed, however young; `keep` holds of no other
  bool dry_run = false;       ///< report, remove nothing
};

/// What was removed, or would be.
struct GarbageReport {
  struct Kept {
    std::int64_t generation;
    std::string why;  ///< "newest", "young", "pinned by run a on host b"
  };
  std::vector<Kept> kept{};               ///< ascending
  std::vector<std::int64_t> snapshots{};  ///< ascending
  std::vector<std::filesystem::path> shards{}, plans{}, pins{};
  std::vector<std::filesystem::path> unpacked{};  ///< archives in the cache
  std::int64_t bytes = 0;                         ///< of the shards
  std::int64_t unpacked_bytes = 0;
};

/// Removes snapshots that are neither among the newest, nor young, nor pinned; plans older than
/// kPlanLife; expired pins; ledgers without a snapshot; unpacked archives, which the next build
/// makes again; and the shards that no snapshot and no plan that stays needs; with such a plan,
/// shards that are younger stay, too, as `map` may be making them. Holds the store's lock: no build
/// runs meanwhile. A training that has pinned its snapshot is not touched; one that reads without a
/// pin may find shards gone. Throws Error (busy) when a build runs; as
/// snapshot() and read_plan() do when one that stays is damaged: what it needs is unknown then, and
/// nothing is removed.
/// options: keep 1 or more, older_than 0 or more.
GarbageReport collect_garbage(const Store& store, const GarbageOptions& options);

/// A plan's folder with its records. Its plan.h5 is gone for good first: without it, what a kill or
/// a power loss leaves is not a plan, and with it, it has its records. Throws Error (io).
void remove_plan(const std::filesystem::path& folder);

}  // namespace letterpress
