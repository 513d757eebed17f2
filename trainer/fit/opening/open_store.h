#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/loader/batch_loader.h"

namespace letterpress {

/// out/last.safetensors when the options resume and it is there. Throws Error (configuration) when
/// it is there and they do not.
std::optional<Checkpoint> resumed_checkpoint(const FitOptions& options);

/// Throws Error (usage) unless it is empty, "latest" or a generation's number.
void require_snapshot(const std::string& snapshot,
                      const char* wanted = "a generation's number or 'latest'");
/// Throw Error (usage) where --threads or --readers is less than 0.
void require_threads(int threads);
void require_readers(int readers);

/// "latest", "N", or empty or "follow" for the run's own and else the latest. Throws Error:
/// no_input when nothing was published yet; configuration when a resumed run would read another
/// snapshot than it began with.
Snapshot choose_snapshot(const Store& store, const std::string& wanted,
                         const CheckpointInfo* resumed);

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

/// Throws Error (configuration) when the run's folder is the store or lies in it: gc removes there
/// what it does not know.
void check_outside(const std::filesystem::path& run_folder, const std::filesystem::path& store);

/// A batch holds no more than all `pictures`, in parts that are no larger than before. Answers what
/// to tell the user about it.
std::optional<std::string> limit_batch(std::int64_t pictures, FitOptions& options);

/// How a rank's loader reads for training: its micro-batch, the largest where they differ, readers,
/// checks, way and deadline as the options have them, pixels for the device. advise is the
/// caller's, whose order it belongs to.
LoaderOptions training_loading(const FitOptions& options, torch::Device device, int rank,
                               int ranks);

/// The run's name in pins: readable, and another one for each folder.
std::string run_name(const std::filesystem::path& run_folder);

/// "6 anchors (k-means over 18124 boxes): 10x13 16x30 ..., mean best IoU 0.78"
std::string to_string(const AnchorChoice& choice);

}  // namespace letterpress
