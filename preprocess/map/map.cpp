#include "preprocess/map/map.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "letterpress/annotations/picture_files.h"
#include "letterpress/shards/unpacked_folder.h"
#include "preprocess/inputs/examine.h"
#include "preprocess/map/band_order.h"
#include "preprocess/map/copy_shards.h"
#include "preprocess/map/decoded_whole.h"
#include "preprocess/map/finisher.h"
#include "preprocess/map/pixel_budget.h"
#include "preprocess/map/planned_picture.h"
#include "preprocess/map/row_tasks.h"
#include "preprocess/map/shard_builder.h"
#include "preprocess/pictures/bands/banded_picture.h"
#include "preprocess/pictures/kept_memory.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

constexpr std::size_t kUnsyncedShards = 4;
// Open at once over all threads, up to 6 bytes each.
constexpr std::int64_t kPixelsAtOnce = std::int64_t{256} << 20;

// What a thread keeps between pictures.
struct Workspace {
  std::vector<std::byte> bytes;
  Picture picture;
  RenderWorkspacePointer render = make_render_workspace();
  std::vector<std::uint8_t> image;
  ShardRow row;

  void let_go_of_huge_buffers() {
    free_if_huge(picture);
    free_if_huge(bytes);
  }
};

class Mapper {
 public:
  explicit Mapper(const MapTask& task)
      : plan_(task.plan),
        recipe_(task.recipe),
        stop_(task.stop),
        files_(unpacked_folder(task.store.folder())) {
    for (const PlannedShard& shard : plan_.shards)
      shards_.push_back(std::make_unique<ShardBuilder>(task, shard));
  }

  // Leaves rows out on a stop: their shards are then never full, and never finished.
  void prepare(Job job) {
    if (stop_) return;
    Workspace& workspace = workspaces_.local();
    const PlannedPicture& picture =
        plan_.pictures.at(static_cast<std::size_t>(job.front().picture));
    const LedgerEntry& entry = plan_.ledger[static_cast<std::size_t>(picture.entry)];
    workspace.image.resize(static_cast<std::size_t>(side()) * static_cast<std::size_t>(side()) * 3);
    const bool large = std::int64_t{entry.width} * entry.height > kPixelsDecodedWhole;
    if (!large || !recipe_.tiles() || !prepare_in_bands(job, picture, entry, workspace))
      prepare_whole(job, picture, entry, workspace);
    workspace.let_go_of_huge_buffers();
  }

  void finish(BuildListener& listener) {
    finisher_.wait();
    whole_.note(listener);
  }

 private:
  int side() const { return plan_.snapshot.identity.side; }

  void prepare_whole(Job job, const PlannedPicture& picture, const LedgerEntry& entry,
                     Workspace& workspace) {
    require_planned(entry, [&] {
      files_.read(entry.path, picture.offset, picture.length, workspace.bytes);
      return hash128(workspace.bytes);
    });
    const PixelBudget::Hold hold(budget_, std::int64_t{entry.width} * entry.height);
    const Expected<PictureInfo> info = probe_planned(workspace.bytes, entry, recipe_);
    for (Job rest = job; !rest.empty() && !stop_;) {
      const Job part = info ? first_part(rest, entry, *info) : rest;
      const std::optional<Reject> reject =
          info ? decode_part(part, entry, *info, workspace) : std::optional(info.reject());
      for (const RowTask& task : part) {
        if (stop_) break;
        if (reject) {
          write_dead(task, entry, *reject, workspace);
        } else {
          settle({task, put_view(task, picture, entry, workspace.picture, workspace)});
        }
      }
      rest = rest.subspan(part.size());
    }
  }

  // A row that is written, but not settled: its picture may turn out to be damaged.
  struct PutRow {
    RowTask task;
    ShardBuilder::Sums sums;
  };

  // Returns false where the picture has to be decoded whole.
  bool prepare_in_bands(Job job, const PlannedPicture& picture, const LedgerEntry& entry,
                        Workspace& workspace) {
    std::optional<PictureFile> file;
    std::optional<FileStamp> before;
    require_planned(entry, [&] {
      file = open_large(files_, entry.path, picture.offset, picture.length);
      if (file) return before = file_stamp(file->path()), file->hash();
      files_.read(entry.path, picture.offset, picture.length, workspace.bytes);
      return hash128(workspace.bytes);
    });
    const PictureBytes bytes = file ? PictureBytes(*file) : PictureBytes(workspace.bytes);
    const Expected<PictureInfo> info = probe_planned(bytes, entry, recipe_);
    std::vector<PutRow> put;
    std::optional<Reject> reject;
    try {
      for (Job rest = job; info && !rest.empty() && !reject;) {
        const Job part = first_part(rest, entry, *info);
        const OpenedBands bands =
            open_bands(bytes, *info, scale_of(part.front(), entry), entry.path);
        if (!bands.picture) return whole_.add(bands.why_whole), false;
        reject = put_from_bands(part, picture, entry, {*bands.picture, workspace, put});
        if (stop_) return true;
        rest = rest.subspan(part.size());
      }
    } catch (const UnreadablePicture& error) {
      throw InputChanged(error.message(), error.exit());
    }
    if (!info) return false;
    if (file && file_stamp(file->path()) != before) throw_picture_changed(entry);
    for (const PutRow& row : put) {
      if (!reject) settle(row);
    }
    for (const RowTask& task : job) {
      if (reject) write_dead(task, entry, *reject, workspace);
    }
    return true;
  }

  struct Bands {
    BandedPicture& picture;
    Workspace& workspace;
    std::vector<PutRow>& put;
  };

  std::optional<Reject> put_from_bands(Job part, const PlannedPicture& picture,
                                       const LedgerEntry& entry, const Bands& bands) {
    ShardRow& row = bands.workspace.row;
    const Picture& band = bands.picture.picture();
    const std::vector<BandStep> steps = in_order_of_bands(part, [&](const RowTask& task) {
      place_view(request(task, picture, entry, band), row);
      return lines_of({recipe_, row, band, side()});
    });
    const std::int32_t lines = largest_band(steps);
    const PixelBudget::Hold hold(budget_, std::int64_t{band.width} * lines);
    bands.picture.expect(lines);
    for (const BandStep& step : steps) {
      if (stop_) return std::nullopt;
      if (auto reject = bands.picture.keep(step.keep_from, step.lines.end)) return reject;
      bands.put.push_back({step.task, put_view(step.task, picture, entry, band, bands.workspace)});
    }
    return bands.picture.finish();
  }

  double scale_of(const RowTask& task, const LedgerEntry& entry) const {
    return needed_scale(recipe_, entry.width, entry.height, side(), task.view);
  }

  // The rows that one decoding serves: all of them, or view 0 apart where the others need a larger
  // one.
  Job first_part(Job rest, const LedgerEntry& entry, const PictureInfo& info) const {
    const auto eighths = [&](const RowTask& task) {
      return decoded_eighths(info, scale_of(task, entry));
    };
    const auto end = std::ranges::find_if(
        rest, [&](const RowTask& task) { return eighths(task) != eighths(rest.front()); });
    return rest.first(static_cast<std::size_t>(end - rest.begin()));
  }

  std::optional<Reject> decode_part(Job part, const LedgerEntry& entry, const PictureInfo& info,
                                    Workspace& workspace) const {
    const bool augmented =
        std::ranges::any_of(part, [](const RowTask& row) { return row.view > 0; });
    return decode(workspace.bytes, info, scale_of(part.front(), entry), entry.path,
                  workspace.picture, augmented || recipe_.tiles() ? Pixels::rgb : Pixels::planes);
  }

  ViewRequest request(const RowTask& task, const PlannedPicture& picture, const LedgerEntry& entry,
                      const Picture& decoded) const {
    const BuildIdentity& identity = plan_.snapshot.identity;
    const ViewKey key{identity.seed, identity.draw_of(task.view), entry.picture_hash, task.view};
    return {recipe_, key, decoded, entry.width, entry.height, picture.boxes, side(), task.tile};
  }

  ShardBuilder::Sums put_view(const RowTask& task, const PlannedPicture& picture,
                              const LedgerEntry& entry, const Picture& decoded,
                              Workspace& workspace) {
    ShardRow& row = workspace.row;
    render_view(request(task, picture, entry, decoded), *workspace.render, row, workspace.image);
    row.label = picture.label;
    row.source_hash = entry.picture_hash;
    row.status = kRowGood;
    return shard_of(task).put(task.row, row, workspace.image);
  }

  void settle(const PutRow& row) {
    shard_of(row.task).settle(row.task.row, row.sums);
    finish_if_last(row.task);
  }

  void write_dead(const RowTask& task, const LedgerEntry& entry, const Reject& reject,
                  Workspace& workspace) {
    std::fill(workspace.image.begin(), workspace.image.end(), std::uint8_t{0});
    ShardRow row;
    row.source_width = entry.width;
    row.source_height = entry.height;
    row.source_hash = entry.picture_hash;
    row.tile = task.tile;
    row.view = -1;
    row.status = kRowUndecodable;
    shard_of(task).write_dead(task.row, row, workspace.image, reject);
    finish_if_last(task);
  }

  ShardBuilder& shard_of(const RowTask& task) const {
    return *shards_[static_cast<std::size_t>(task.shard)];
  }

  void finish_if_last(const RowTask& task) {
    ShardBuilder& shard = shard_of(task);
    if (shard.row_done()) finisher_.hand([&shard, number = task.shard] { shard.finish(number); });
  }

  const Plan& plan_;
  const Recipe& recipe_;
  const StopRequest& stop_;
  PictureFiles files_;
  PixelBudget budget_{kPixelsAtOnce};
  DecodedWhole whole_;
  std::vector<std::unique_ptr<ShardBuilder>> shards_;
  tbb::enumerable_thread_specific<Workspace> workspaces_;
  Finisher finisher_{kUnsyncedShards};  // last member: its thread uses the others
};

}  // namespace

void make_shards(const MapTask& task, const std::vector<bool>& finished, BuildListener& listener) {
  copy_shards(task, finished, listener);
  const std::vector<RowTask> tasks = tasks_of(task.plan, finished);
  listener.stage("preparing", count_jobs(tasks), "pictures");
  Mapper mapper(task);
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  // The thread that took a job carries it into the next filter itself, mostly: lanes are a
  // preference, nothing depends on it.
  Lanes lanes(task.plan, tasks, threads);
  tbb::parallel_pipeline(
      2 * threads,
      tbb::make_filter<void, Job>(tbb::filter_mode::serial_in_order,
                                  [&](tbb::flow_control& control) {
                                    const Job job = lanes.take(static_cast<std::size_t>(
                                        tbb::this_task_arena::current_thread_index()));
                                    if (job.empty() || task.stop) control.stop();
                                    return job;
                                  }) &
          tbb::make_filter<Job, void>(tbb::filter_mode::parallel, [&](Job job) {
            mapper.prepare(job);
            listener.advance(1);
          }));
  mapper.finish(listener);
}

}  // namespace letterpress
