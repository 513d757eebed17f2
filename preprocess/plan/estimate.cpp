#include "preprocess/plan/estimate.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "letterpress/annotations/picture_files.h"
#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/machine/disk_trial.h"
#include "letterpress/shards/plan.h"
#include "preprocess/inputs/examine.h"
#include "preprocess/inputs/unpacked_folder.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/plan/guards.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/tile_lines.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostTried = 64;
constexpr double kMostSeconds = 1.5;
constexpr std::int64_t kTrialBytes = std::int64_t{32} << 20;

// The rows that a picture of the plan has: views 0 to `view` of tiles 0 to `tile`, or fewer.
struct RowsOf {
  std::int32_t view = -1, tile = 0;
};

std::vector<RowsOf> rows_of(const Plan& plan) {
  std::vector<RowsOf> most(plan.pictures.size());
  for (const PlannedShard& shard : plan.shards) {
    for (std::size_t row = 0; row < shard.row_picture.size(); ++row) {
      RowsOf& rows = most[static_cast<std::size_t>(shard.row_picture[row])];
      rows.view = std::max(rows.view, shard.row_view[row]);
      rows.tile = std::max(rows.tile, shard.tile(row));
    }
  }
  return most;
}

class Trial {
 public:
  Trial(const Plan& plan, const Recipe& recipe, const fs::path& unpacked)
      : plan_(plan), recipe_(recipe), workspace_(make_render_workspace()), files_(unpacked) {
    const auto side = static_cast<std::size_t>(plan.snapshot.identity.side);
    image_.resize(side * side * 3);
  }

  // Rows drawn: 0 when the picture cannot be read.
  std::int64_t draw(const PlannedPicture& planned, const RowsOf& rows) {
    const LedgerEntry& entry = entry_of(planned);
    const bool large = std::int64_t{entry.width} * entry.height > kPixelsDecodedWhole;
    return large && recipe_.tiles() ? draw_in_bands(planned, rows.tile)
                                    : draw_whole(planned, std::max(0, rows.view), rows.tile);
  }

 private:
  std::int64_t draw_whole(const PlannedPicture& planned, std::int32_t views, std::int32_t tiles) {
    const LedgerEntry& entry = entry_of(planned);
    try {
      files_.read(entry.path, planned.offset, planned.length, bytes_);
    } catch (const Error&) {
      return 0;
    }
    const Expected<PictureInfo> info = probe_any(bytes_, entry);
    const Pixels wanted = views > 0 || recipe_.tiles() ? Pixels::rgb : Pixels::planes;
    if (!info ||
        decode(bytes_, *info, needed_scale(recipe_, entry.width, entry.height, side(), views),
               entry.path, picture_, wanted))
      return 0;
    for (std::int32_t view = 0; view <= views; ++view) {
      for (std::int32_t tile = 0; tile <= tiles; ++tile)
        render_view(request(planned, view, tile), *workspace_, row_, image_);
    }
    return std::int64_t{views + 1} * (tiles + 1);
  }

  // View 0 only: one pass over the picture.
  std::int64_t draw_in_bands(const PlannedPicture& planned, std::int32_t tiles) {
    const LedgerEntry& entry = entry_of(planned);
    try {
      std::optional<PictureFile> file =
          open_large(files_, entry.path, planned.offset, planned.length);
      if (!file) files_.read(entry.path, planned.offset, planned.length, bytes_);
      const PictureBytes bytes = file ? PictureBytes(*file) : PictureBytes(bytes_);
      const Expected<PictureInfo> info = probe_any(bytes, entry);
      TileLines lines;
      const double scale = needed_scale(recipe_, entry.width, entry.height, side(), 0);
      if (!info) return 0;
      if (!lines.open(bytes, *info, scale, entry.path)) return draw_whole(planned, 0, tiles);
      for (std::int32_t tile = 0; tile <= tiles; ++tile) {
        if (lines.render(request(planned, 0, tile), *workspace_, row_, image_)) return 0;
      }
    } catch (const Error&) {
      return 0;
    }
    return tiles + 1;
  }

  const LedgerEntry& entry_of(const PlannedPicture& planned) const {
    return plan_.ledger[static_cast<std::size_t>(planned.entry)];
  }
  int side() const { return plan_.snapshot.identity.side; }

  Expected<PictureInfo> probe_any(const PictureBytes& bytes, const LedgerEntry& entry) const {
    return probe(bytes, entry.path,
                 {.max_pixels = std::numeric_limits<std::int64_t>::max(),
                  .depth = recipe_.depth(),
                  .truncated = recipe_.truncated()});
  }

  ViewRequest request(const PlannedPicture& planned, std::int32_t view, std::int32_t tile) const {
    const LedgerEntry& entry = entry_of(planned);
    const BuildIdentity& identity = plan_.snapshot.identity;
    return {recipe_,      {identity.seed, identity.draw_of(view), entry.picture_hash, view},
            picture_,     entry.width,
            entry.height, planned.boxes,
            side(),       tile};
  }

  const Plan& plan_;
  const Recipe& recipe_;
  RenderWorkspacePointer workspace_;
  PictureFiles files_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint8_t> image_;
  Picture picture_;
  ShardRow row_;
};

void measure_rows(const Plan& plan, const Recipe& recipe, const fs::path& unpacked,
                  Estimate& estimate) {
  const std::vector<RowsOf> rows_of_pictures = rows_of(plan);
  Trial trial(plan, recipe, unpacked);
  const std::size_t n = std::min(kMostTried, plan.pictures.size());
  const Clock::time_point start = Clock::now();
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < n && (i == 0 || seconds_since(start) < kMostSeconds); ++i) {
    // A stride that is spread over the whole plan even when the time ends early.
    const std::size_t at = (i * 2654435761U) % plan.pictures.size();
    const std::int64_t drawn = trial.draw(plan.pictures[at], rows_of_pictures[at]);
    rows += drawn;
    estimate.pictures_tried += drawn > 0 ? 1 : 0;
  }
  if (rows > 0) estimate.rows_per_s = static_cast<double>(rows) / seconds_since(start);
}

}  // namespace

Estimate estimate_build(const BuildOptions& options, const Plan& plan, const Recipe& recipe,
                        int threads) {
  Estimate estimate;
  const fs::path folder = existing_folder(options.store);
  estimate.bytes_needed = bytes_needed(plan, std::vector<bool>(plan.shards.size(), false));
  estimate.bytes_free = free_bytes(folder);
  if (plan.pictures.empty()) return estimate;
  measure_rows(plan, recipe, unpacked_folder(options), estimate);
  if (estimate.bytes_free >= 4 * kTrialBytes)
    estimate.bytes_per_s = written_per_s(folder, kTrialBytes);
  std::int64_t rows = 0;
  for (const PlannedShard& shard : plan.shards)
    rows += static_cast<std::int64_t>(shard.row_picture.size());
  if (estimate.rows_per_s <= 0) return estimate;
  // The kernel writes while the threads draw: the slower of the two decides.
  const double drawing = static_cast<double>(rows) / (estimate.rows_per_s * std::max(1, threads));
  const double writing = estimate.bytes_per_s > 0
                             ? static_cast<double>(estimate.bytes_needed) / estimate.bytes_per_s
                             : 0;
  estimate.seconds = std::max(drawing, writing);
  return estimate;
}

}  // namespace letterpress
