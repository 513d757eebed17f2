#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// Puts the pictures that snapshot `known` of the store holds with the same pixels and labels last,
/// each part in its order, and returns how many they are; 0 when all are known: nothing is new
/// then, and all take part as ever. Throws Error (configuration) when the snapshot is gone.
std::int64_t put_known_last(std::vector<PictureRows>& pictures, const Store& store,
                            const SnapshotReader& reader, std::int64_t known);

/// The snapshot of `store` that the run or checkpoint --init was trained on. Throws Error
/// (configuration) when it is another store's or gone.
std::int64_t snapshot_of_init(const FitOptions& options, const Store& store);

/// For --if-new: "snapshot 3 was trained on already, by runs/a" when the newest snapshot says what
/// the one did that the run in --out or the one of --init was trained on, if that has ended
/// and did not diverge; nothing otherwise. Of a checkpoint without its run's last.safetensors
/// beside it nobody can tell: it counts as ended.
std::optional<std::string> trained_already(const FitOptions& options);

/// Why a run on snapshot `read` cannot go on with `next`: "it has other classes", "split 'train'
/// has no pictures"; nothing when it can.
std::optional<std::string> reason_not_to_follow(const Snapshot& read, const Snapshot& next,
                                                const FitOptions& options);

}  // namespace letterpress
