#include "trainer/fit/run_setup.h"

#include <algorithm>
#include <cstdio>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"

namespace letterpress {
namespace fs = std::filesystem;

std::optional<Checkpoint> resumed_checkpoint(const FitOptions& options) {
  const fs::path file = options.out / "last.safetensors";
  if (!fs::exists(file)) return std::nullopt;
  if (options.resume) return read_checkpoint(file);
  throw Error(options.out.string() + ": holds a run already; --resume goes on with it, another --out begins a new one",
              Exit::configuration);
}

Snapshot choose_snapshot(const Store& store, const std::string& wanted, const CheckpointInfo* resumed) {
  const auto newest = [&store] {
    std::optional<Snapshot> snapshot = store.latest();
    if (snapshot) return *std::move(snapshot);
    throw Error(store.folder().string() + ": nothing was published yet; run `letterpress-preprocess build` to its end", Exit::no_input);
  };
  const bool by_number = !wanted.empty() && wanted != "latest";
  if (!resumed) return by_number ? store.snapshot(std::stoll(wanted)) : newest();
  const std::int64_t begun = resumed->snapshot_generation;
  if (!wanted.empty() && (by_number ? std::stoll(wanted) : newest().generation) != begun) {
    throw Error("--snapshot " + wanted + ": the run was begun on snapshot " + std::to_string(begun) +
                    " and its position counts that one's pictures; leave --snapshot out, or begin a new run with --init",
                Exit::configuration);
  }
  Snapshot snapshot = store.snapshot(begun);
  if (snapshot.logical_digest.hex() == resumed->snapshot_digest) return snapshot;
  throw Error(store.folder().string() + ": its snapshot " + std::to_string(begun) + " has digest " + snapshot.logical_digest.hex() +
                  ", the run was begun on " + resumed->snapshot_digest + "; was the store made anew? begin a new run with --init",
              Exit::configuration);
}

std::vector<PictureRows> pictures_of(const SnapshotReader& reader, const std::string& split) {
  const auto& shards = reader.snapshot().shards;
  const bool known = std::any_of(shards.begin(), shards.end(), [&](const SnapshotShard& shard) { return shard.split == split; });
  return known ? reader.pictures(split) : std::vector<PictureRows>{};
}

std::string run_name(const fs::path& run_folder) {
  const fs::path absolute = fs::absolute(run_folder).lexically_normal();
  const std::string name = (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
  return name + "-" + hash128(absolute.string()).hex().substr(0, 8);
}

std::string to_string(const AnchorChoice& choice) {
  std::string text = std::to_string(choice.anchors.size() / 2) + " anchors (" + choice.source + "):";
  char number[64];
  for (std::size_t i = 0; i + 1 < choice.anchors.size(); i += 2) {
    std::snprintf(number, sizeof number, " %.4gx%.4g", choice.anchors[i], choice.anchors[i + 1]);
    text += number;
  }
  std::snprintf(number, sizeof number, ", mean best IoU %.3f", choice.mean_best_iou);
  return text + number;
}

}  // namespace letterpress
