#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/checkpoint/checkpoint.h"

namespace letterpress {

/// "N", or empty, "latest" or "follow" for that of `resumed` and else the latest. resumed: of the
/// run that goes on; null: none does. Throws Error: no_input when nothing was published yet;
/// configuration when a resumed run would read another snapshot than it began with.
Snapshot choose_snapshot(const Store& store, const std::string& wanted,
                         const CheckpointInfo* resumed = nullptr);

/// Pictures of the split that a flag names. Throws Error (usage): "--split: unknown split 'trian';
/// did you mean 'train'? known: train, val".
std::vector<PictureRows> pictures_of(const SnapshotReader& reader, const std::string& split,
                                     const std::string& flag);
/// The same of --split, one picture at least. Throws Error (no_input): "store: split 'train' of
/// snapshot 3 holds no picture; look at `letterpress-preprocess info`".
std::vector<PictureRows> some_pictures_of(const Store& store, const SnapshotReader& reader,
                                          const std::string& split);
/// Pictures to measure on: of the split that was named, else of "val"; none where none was named
/// and the snapshot has no "val".
std::vector<PictureRows> val_pictures_of(const SnapshotReader& reader, const std::string& split);

/// Whether any of the pictures has what metrics are of: a box, not of a crowd, or a class.
bool have_ground_truth(const SnapshotReader& reader, const std::vector<PictureRows>& pictures);

/// A store, one snapshot of it, and the pictures of one split there, one at least.
struct OpenedSplit {
  Store store;
  SnapshotReader reader;
  std::vector<PictureRows> pictures;
};
/// Throws Error as choose_snapshot() and some_pictures_of() do.
OpenedSplit open_split(const std::filesystem::path& folder, const std::string& snapshot,
                       const std::string& split);

}  // namespace letterpress
