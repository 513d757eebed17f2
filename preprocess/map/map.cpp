#include "preprocess/map/map.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <tuple>

#include "letterpress/annotations/picture_files.h"
#include "letterpress/shards/unpacked_folder.h"
#include "preprocess/map/copy_shards.h"
#include "preprocess/map/finisher.h"
#include "preprocess/map/pixel_budget.h"
#include "preprocess/map/shard_builder.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

constexpr std::size_t kUnsyncedShards = 4;
// Open at once over all threads, up to 6 bytes each.
constexpr std::int64_t kPixelsAtOnce = std::int64_t{256} << 20;
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;

// A row that is still to be made.
struct RowTask {
  std::int32_t picture = 0;  ///< index into Plan::pictures
  std::int32_t tile = 0, view = 0;
  std::int32_t shard = 0;  ///< position in Plan::shards
  std::int32_t row = 0;
};

// All rows of one picture that are still to be made.
using Job = std::span<const RowTask>;

// Ordered by picture.
std::vector<RowTask> tasks_of(const Plan& plan, const std::vector<bool>& finished) {
  std::vector<RowTask> tasks;
  std::size_t rows = 0;
  for (std::size_t s = 0; s < plan.shards.size(); ++s)
    rows += finished[s] ? 0 : plan.shards[s].row_picture.size();
  tasks.reserve(rows);
  for (std::size_t s = 0; s < plan.shards.size(); ++s) {
    if (finished[s]) continue;
    const PlannedShard& shard = plan.shards[s];
    for (std::size_t row = 0; row < shard.row_picture.size(); ++row) {
      tasks.push_back({shard.row_picture[row], shard.tile(row), shard.row_view[row],
                       static_cast<std::int32_t>(s), static_cast<std::int32_t>(row)});
    }
  }
  std::ranges::sort(tasks, {}, [](const RowTask& task) {
    return std::tuple(task.picture, task.shard, task.row);
  });
  return tasks;
}

// The job that begins with `rest`; empty after the last.
Job first_job(std::span<const RowTask> rest) {
  const auto end = std::ranges::find_if(
      rest, [&](const RowTask& task) { return task.picture != rest.front().picture; });
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

std::int64_t count_jobs(std::span<const RowTask> tasks) {
  std::int64_t n = 0;
  for (std::span<const RowTask> rest = tasks; !rest.empty(); ++n)
    rest = rest.subspan(first_job(rest).size());
  return n;
}

// The jobs in as many lanes as threads work at once, and no more than kMostLanes. A thread takes
// those of its own lane, then what is left of others'. Threads that wrote to one file at the same
// time would wait for each other: file systems let in one writer at a time. Lanes end where a
// group of pictures does: a shard belongs to one group.
class Lanes {
 public:
  Lanes(const Plan& plan, std::span<const RowTask> tasks, std::size_t threads) {
    const auto group = [&](const RowTask& task) {
      return plan.shards[static_cast<std::size_t>(task.shard)].group;
    };
    for (std::size_t left = std::min(threads, kMostLanes); left > 0; --left) {
      std::size_t size = tasks.size() / left;
      while (size > 0 && size < tasks.size() &&
             (tasks[size].picture == tasks[size - 1].picture ||
              group(tasks[size]) == group(tasks[size - 1])))
        ++size;
      lanes_.push_back(tasks.first(size));
      tasks = tasks.subspan(size);
    }
  }

  // Empty when there is none left. Not thread-safe.
  Job take(std::size_t thread) {
    std::span<const RowTask>* lane = &lanes_[thread % lanes_.size()];
    if (lane->empty())
      lane = &*std::ranges::max_element(lanes_, {}, [](const auto& rest) { return rest.size(); });
    const Job job = first_job(*lane);
    *lane = lane->subspan(job.size());
    return job;
  }

 private:
  static constexpr std::size_t kMostLanes =
      8;  // each has an unfinished clean shard and one of views
  std::vector<std::span<const RowTask>> lanes_;
};

// What a thread keeps between pictures.
struct Workspace {
  std::vector<std::byte> bytes;
  Picture picture;
  RenderWorkspacePointer render = make_render_workspace();
  std::vector<std::uint8_t> image;
  ShardRow row;

  void let_go_of_huge_buffers() {
    if (picture.kept_bytes() > kKeptBytes) picture = {};
    if (bytes.capacity() > kKeptBytes) bytes = {};
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
    read(picture, entry, workspace.bytes);
    const PixelBudget::Hold hold(budget_, std::int64_t{entry.width} * entry.height);
    workspace.image.resize(static_cast<std::size_t>(side()) * static_cast<std::size_t>(side()) * 3);
    const Expected<PictureInfo> info =
        probe(workspace.bytes, entry.path,
              {.max_pixels = std::numeric_limits<std::int64_t>::max(),
               .depth = recipe_.depth(),
               .truncated = recipe_.truncated()});
    for (Job rest = job; !rest.empty() && !stop_;) {
      const Job part = info ? first_part(rest, entry, *info) : rest;
      const std::optional<Reject> reject =
          info ? decode_part(part, entry, *info, workspace) : std::optional(info.reject());
      for (const RowTask& task : part) {
        if (stop_) break;
        if (reject) {
          write_dead(task, entry, *reject, workspace);
        } else {
          write_view(task, picture, entry, workspace);
        }
      }
      rest = rest.subspan(part.size());
    }
    workspace.let_go_of_huge_buffers();
  }

  void finish() { finisher_.wait(); }

 private:
  int side() const { return plan_.snapshot.identity.side; }

  void read(const PlannedPicture& picture, const LedgerEntry& entry,
            std::vector<std::byte>& bytes) const {
    try {
      files_.read(entry.path, picture.offset, picture.length, bytes);
    } catch (const Error& error) {
      throw InputChanged(
          {.what = std::string(error.what()) + " (it could be read when the build was planned)"});
    }
    if (hash128(bytes) == entry.picture_hash) return;
    throw InputChanged({.where = entry.path,
                        .what = "has other bytes than when the build was planned",
                        .fix = "is it still being copied?"});
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

  void write_view(const RowTask& task, const PlannedPicture& picture, const LedgerEntry& entry,
                  Workspace& workspace) {
    const BuildIdentity& identity = plan_.snapshot.identity;
    const ViewKey key{identity.seed, identity.draw_of(task.view), entry.picture_hash, task.view};
    ShardRow& row = workspace.row;
    render_view({recipe_, key, workspace.picture, entry.width, entry.height, picture.boxes, side(),
                 task.tile},
                *workspace.render, row, workspace.image);
    row.label = picture.label;
    row.source_hash = entry.picture_hash;
    row.status = kRowGood;
    shard_of(task).write(task.row, row, workspace.image);
    finish_if_last(task);
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
  mapper.finish();
}

}  // namespace letterpress
