#include "trainer/fit/opening/open_store.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/require_flag.h"
#include "trainer/device/device.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {
namespace fs = std::filesystem;

void require_snapshot(const std::string& snapshot, const char* wanted) {
  const bool number = !snapshot.empty() && snapshot.size() <= 18 &&
                      snapshot.find_first_not_of("0123456789") == std::string::npos;
  require_flag(snapshot.empty() || snapshot == "latest" || number, "snapshot", "'" + snapshot + "'",
               wanted);
}

void require_threads(int threads) {
  require_flag(threads >= 0, "threads", threads, "0 (all cores) or more");
}
void require_readers(int readers) {
  require_flag(readers >= 0, "readers", readers, "0 (as many as fit) or more");
}

namespace {

// Killed in its first epoch a run has no last.safetensors yet, and begins again.
void check_lost(const fs::path& run_folder) {
  const fs::path results = run_folder / "results.csv";
  if (!fs::exists(results)) return;
  const std::string text = read_file(results);
  const auto epochs = std::count(text.begin(), text.end(), '\n') - 1;
  if (epochs < 2) return;
  throw Error(run_folder.string() + ": holds a run of " + std::to_string(epochs) +
                  " epochs whose last.safetensors is gone; put it back, or go on "
                  "from its best weights as a new run: --init " +
                  run_folder.string() + " and another --out",
              Exit::configuration);
}

}  // namespace

std::optional<Checkpoint> resumed_checkpoint(const FitOptions& options) {
  const fs::path file = options.out / "last.safetensors";
  if (!fs::exists(file)) {
    check_lost(options.out);
    return std::nullopt;
  }
  if (options.resume) return read_checkpoint(file);
  throw Error(options.out.string() +
                  ": holds a run already; --resume goes on with it, another --out begins a new one",
              Exit::configuration);
}

Snapshot choose_snapshot(const Store& store, const std::string& said,
                         const CheckpointInfo* resumed) {
  const std::string wanted = said == kFollow ? "" : said;
  const auto newest = [&store] {
    std::optional<Snapshot> snapshot = store.latest();
    if (snapshot) return *std::move(snapshot);
    throw Error(store.folder().string() +
                    ": nothing was published yet; run `letterpress-preprocess build` to its end",
                Exit::no_input);
  };
  const bool by_number = !wanted.empty() && wanted != "latest";
  if (!resumed) return by_number ? store.snapshot(std::stoll(wanted)) : newest();
  const std::int64_t begun = resumed->snapshot_generation;
  if (!wanted.empty() && (by_number ? std::stoll(wanted) : newest().generation) != begun) {
    throw Error("--snapshot " + wanted + ": the run was begun on snapshot " +
                    std::to_string(begun) +
                    " and its position counts that one's pictures; leave --snapshot out, say "
                    "--snapshot follow, or begin a new run with --init",
                Exit::configuration);
  }
  Snapshot snapshot = store.snapshot(begun);
  if (snapshot.logical_digest.hex() == resumed->snapshot_digest) return snapshot;
  throw Error(store.folder().string() + ": its snapshot " + std::to_string(begun) + " has digest " +
                  snapshot.logical_digest.hex() + ", the run was begun on " +
                  resumed->snapshot_digest +
                  "; was the store made anew? begin a new run with --init",
              Exit::configuration);
}

std::vector<PictureRows> pictures_of(const SnapshotReader& reader, const std::string& split,
                                     const std::string& flag) {
  std::set<std::string> names;
  for (const SnapshotShard& shard : reader.snapshot().shards) names.insert(shard.split);
  if (names.contains(split)) return reader.pictures(split);
  const std::vector<std::string> known(names.begin(), names.end());
  throw Error("--" + flag + ": " + unknown_name("split", split, known), Exit::usage);
}

std::vector<PictureRows> some_pictures_of(const Store& store, const SnapshotReader& reader,
                                          const std::string& split) {
  std::vector<PictureRows> pictures = pictures_of(reader, split, "split");
  if (!pictures.empty()) return pictures;
  throw Error(store.folder().string() + ": split '" + split + "' of snapshot " +
                  std::to_string(reader.snapshot().generation) +
                  " holds no picture; look at `letterpress-preprocess info`",
              Exit::no_input);
}

std::vector<PictureRows> val_pictures_of(const SnapshotReader& reader, const std::string& split) {
  if (!split.empty()) return pictures_of(reader, split, "val-split");
  const auto& shards = reader.snapshot().shards;
  const bool known = std::any_of(shards.begin(), shards.end(), [](const SnapshotShard& shard) {
    return shard.split == kDefaultValSplit;
  });
  return known ? reader.pictures(kDefaultValSplit) : std::vector<PictureRows>{};
}

void check_outside(const fs::path& run_folder, const fs::path& store) {
  std::error_code error;  // what is not there or loops is refused where it is opened
  const fs::path relative = fs::weakly_canonical(run_folder, error)
                                .lexically_relative(fs::weakly_canonical(store, error));
  if (error || relative.empty() || *relative.begin() == "..") return;
  throw Error("--out " + run_folder.string() + ": lies in the store " + store.string() +
                  ", which belongs to letterpress-preprocess; " + "name a folder outside it",
              Exit::configuration);
}

std::optional<std::string> limit_batch(std::int64_t pictures, FitOptions& options) {
  if (options.batch <= pictures) return std::nullopt;
  const std::string text = "--batch " + std::to_string(options.batch) + " is more than the " +
                           std::to_string(pictures) + " pictures of split " + options.split +
                           "; batches hold " + std::to_string(pictures);
  const int part = options.batch / options.accumulate;
  options.batch = static_cast<int>(pictures);
  options.accumulate = 1;
  while (options.batch % options.accumulate != 0 || options.batch / options.accumulate > part)
    ++options.accumulate;
  return text;
}

LoaderOptions training_loading(const FitOptions& options, torch::Device device, int rank,
                               int ranks) {
  const std::int64_t own = rows_of_rank(options.batch, rank, ranks);
  LoaderOptions loading{
      .batch = static_cast<int>((own + options.accumulate - 1) / options.accumulate),
      .threads = options.readers,
      .verify = verify_rows_from(options.verify),
      .read = read_by_from(options.read),
      .deadline_s = options.read_deadline,
      .before_read = options.before_read};
  load_for(device, arithmetic_type(options.precision, device), loading);
  return loading;
}

std::string run_name(const fs::path& run_folder) {
  const fs::path absolute = fs::absolute(run_folder).lexically_normal();
  const std::string name =
      (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
  return name + "-" + hash128(absolute.string()).hex().substr(0, 8);
}

std::string to_string(const AnchorChoice& choice) {
  std::string text =
      std::to_string(choice.anchors.size() / 2) + " anchors (" + choice.source + "):";
  char number[64];
  for (std::size_t i = 0; i + 1 < choice.anchors.size(); i += 2) {
    std::snprintf(number, sizeof number, " %.4gx%.4g", choice.anchors[i], choice.anchors[i + 1]);
    text += number;
  }
  std::snprintf(number, sizeof number, ", mean best IoU %.3f", choice.mean_best_iou);
  return text + number;
}

}  // namespace letterpress
