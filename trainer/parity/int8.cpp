#include "trainer/parity/int8.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/shards/published_snapshot.h"
#include "trainer/parity/certify.h"
#include "trainer/parity/python_program.h"
#include "trainer/parity/store_frames.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

Error other_store(const Int8Options& options, const std::string& what) {
  return Error({.where = "--store " + options.store.string(),
                .what = what,
                .fix = "name a store of the checkpoint's pictures, or leave --int8 out"},
               Exit::configuration);
}

SnapshotReader opened(const Int8Options& options) {
  const Store store = Store::open(options.store);
  Snapshot snapshot = published_snapshot(store, std::nullopt);
  if (snapshot.identity.side != options.side)
    throw Error(
        {.where = "--store " + options.store.string(),
         .what = fmt::format("holds rows of side {}, the network takes {}: int8 is calibrated "
                             "and measured on rows as they are stored",
                             snapshot.identity.side, options.side),
         .fix = fmt::format("name a store of side {}, or leave --int8 out", options.side)},
        Exit::configuration);
  if (snapshot.classes != options.classes)
    throw other_store(options, "has other classes than the checkpoint");
  for (const std::string split : {"train", "val"}) {
    if (std::ranges::find(snapshot.shards, split, &SnapshotShard::split) != snapshot.shards.end())
      continue;
    throw Error({.where = "--store " + options.store.string(),
                 .what = "has no split '" + split +
                         "': int8 is calibrated on train and its recall measured on val",
                 .fix = "name a store that has both, or leave --int8 out"},
                Exit::configuration);
  }
  return {store, std::move(snapshot)};
}

std::optional<FoundObjects> found_by(const Int8Options& options, const fs::path& model,
                                     const StoreFrames& frames, const Workplace& workplace,
                                     const StopRequest& stop, std::string& runtime) {
  const fs::path found = workplace / "found.json";
  const auto ran = run_python({.python = options.python,
                               .name = "detect.py",
                               .words = {model.string(), frames.file.string(), found.string(),
                                         "--runtime", options.runtime},
                               .flag = "--int8",
                               .packages = packages_of(options.runtime, ""),
                               .otherwise = "leave --int8 out"},
                              workplace, stop);
  if (!ran) return std::nullopt;
  runtime = *ran;
  return found_objects(frames, read_found_pictures(found), options.classes.size());
}

// Of the store's newest snapshot.
nlohmann::ordered_json certificate_of(const Int8Options& options, const fs::path& exported,
                                      const Snapshot& snapshot) {
  return {{"digest", hash_file(exported).hex()},
          {"checkpoint_digest", hash_file(options.checkpoint).hex()},
          {"program", "samples/deploy/detect.py"},
          {"precision", "int8"},
          {"from", "val"},
          {"store", options.store.string()},
          {"snapshot", snapshot.generation},
          {"snapshot_digest", snapshot.logical_digest.hex()},
          {"confidence", options.confidence}};
}

}  // namespace

std::optional<fs::path> quantised(const Int8Options& options, const Workplace& workplace,
                                  const StopRequest& stop) {
  const StoreFrames frames =
      write_store_frames(opened(options), "train", kCalibrationRows, workplace / "calibration.npy");
  const fs::path made = workplace / "int8.onnx";
  const auto ran =
      run_python({.python = options.python,
                  .name = "quantise.py",
                  .words = {options.model.string(), frames.file.string(), made.string()},
                  .flag = "--int8",
                  .packages = "numpy onnx onnxruntime",
                  .otherwise = "leave --int8 out"},
                 workplace, stop);
  if (!ran) return std::nullopt;
  return made;
}

std::optional<Int8Certificate> measured(const Int8Options& options, const fs::path& exported,
                                        const Workplace& workplace, const StopRequest& stop) {
  const SnapshotReader reader = opened(options);
  const StoreFrames frames =
      write_store_frames(reader, "val", kMeasuredRows, workplace / "measured.npy");
  std::string runtime;
  const auto whole = found_by(options, options.model, frames, workplace, stop, runtime);
  if (!whole) return std::nullopt;
  const auto int8 = found_by(options, exported, frames, workplace, stop, runtime);
  if (!int8) return std::nullopt;
  const double loss = 100 * (whole->recall() - int8->recall());
  const std::string line = fmt::format(
      "recall {:.2f} % in float32, {:.2f} % in int8, at confidence {:g}, of {} objects in {} rows "
      "of val",
      100 * whole->recall(), 100 * int8->recall(), options.confidence, whole->objects,
      frames.boxes.size());
  if (whole->found == 0)
    throw Error({.where = "--int8",
                 .what = line + ", so that nothing was compared",
                 .fix = "name the --store of the checkpoint, or export with a lower --conf"});
  if (loss > options.max_recall_loss)
    throw Error({.where = "--int8",
                 .what = fmt::format("{}: {:.2f} points less, at most {:g} may be", line, loss,
                                     options.max_recall_loss),
                 .fix = "nothing was published; to accept this, pass --max-recall-loss " +
                        fmt::format("{:.1f}", loss + 0.05)});
  nlohmann::ordered_json certificate = certificate_of(options, exported, reader.snapshot());
  certificate.update(
      nlohmann::ordered_json{{"runtime", runtime},
                             {"pictures", frames.boxes.size()},
                             {"objects", whole->objects},
                             {"recall", {{"float32", whole->recall()}, {"int8", int8->recall()}}},
                             {"limits", {{"recall_loss_points", options.max_recall_loss}}}});
  return Int8Certificate{
      certificate.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", line};
}

}  // namespace letterpress
