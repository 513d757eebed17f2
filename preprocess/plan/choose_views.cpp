#include "preprocess/plan/choose_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "preprocess/plan/guards.h"

namespace letterpress {
namespace {

constexpr double kShareOfDisk = 0.25;

// Pictures of other splits may hold more boxes; a row's pixels outweigh them by far.
RowsBudget budget_of(const BuildOptions& options, const Inputs& inputs,
                     const std::optional<Previous>& previous, const TileChoice* tiles) {
  RowsBudget budget;
  std::size_t boxes = 0;
  for (std::size_t i = 0; i < inputs.candidates.size(); ++i) {
    const Candidate& candidate = inputs.candidates[i];
    if (!candidate.stored()) continue;
    const std::int64_t n = tiles ? static_cast<std::int64_t>(tiles->tiles[i].size()) : 1;
    budget.clean += n;
    budget.train += candidate.split == "train" ? n : 0;
    boxes = std::max(boxes, candidate.boxes.size());
  }
  budget.row_bytes = row_bytes(frame_side(options), static_cast<std::int64_t>(boxes));
  std::int64_t held = 0;
  if (previous) {
    for (const SnapshotShard& shard : previous->snapshot.shards)
      held += shard.rows * budget.row_bytes;
  }
  const auto room =
      static_cast<double>(held + free_bytes(existing_folder(options.store))) * kShareOfDisk;
  budget.bytes = static_cast<std::int64_t>(room);
  budget.source = "a quarter of the disk";
  if (options.max_store_bytes > 0 && options.max_store_bytes < budget.bytes) {
    budget.bytes = options.max_store_bytes;
    budget.source = "--max-store-bytes";
  }
  return budget;
}

// --views auto with the same --epochs-planned gave the store its number.
bool chosen_before(const BuildOptions& options, const std::optional<Previous>& previous) {
  if (!previous || options.rebuild) return false;
  const BuildOptions before = build_options_from_json(previous->snapshot.configuration_json);
  return before.views < 0 && before.epochs_planned == options.epochs_planned &&
         previous->snapshot.views > 0;
}

}  // namespace

ViewsChoice choose_views(int epochs_planned, const RowsBudget& budget) {
  const int wanted =
      std::clamp((epochs_planned + kEpochsPerView - 1) / kEpochsPerView, kFewestViews, kMostViews);
  const std::int64_t most =
      std::max<std::int64_t>(0, budget.bytes / budget.row_bytes - budget.clean) /
      std::max<std::int64_t>(1, budget.train);
  const auto seen = [&](int views) {
    return fmt::format("a training of {} epochs (--epochs-planned) sees each about {:.3g} times",
                       epochs_planned, std::max(1.0, static_cast<double>(epochs_planned) / views));
  };
  if (most >= wanted)
    return {wanted, fmt::format("{} augmented views of each picture: {}", wanted, seen(wanted))};
  const int views =
      std::max(kFewestViews, static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(most))));
  const std::int64_t bytes = (budget.clean + budget.train * wanted) * budget.row_bytes;
  return {views, fmt::format("{} augmented views of each picture: {}; {} would take {}, {} is {}",
                             views, seen(views), wanted, bytes_text(static_cast<double>(bytes)),
                             budget.source, bytes_text(static_cast<double>(budget.bytes)))};
}

void check_views(const BuildOptions& options, const Recipe& recipe) {
  if (options.views <= 0 || recipe.augments()) return;
  throw Error({.where = "--views " + std::to_string(options.views),
               .what = "recipe '" + recipe.name() + "' augments nothing, all views would be equal",
               .fix = "use --views 0 or another recipe"},
              Exit::configuration);
}

int views_of_build(const BuildOptions& options, const Recipe& recipe, const Inputs& inputs,
                   const std::optional<Previous>& previous, const TileChoice* tiles,
                   BuildListener& listener) {
  if (options.views >= 0) return options.views;
  if (!recipe.augments()) return 0;
  if (chosen_before(options, previous)) return previous->snapshot.views;
  const ViewsChoice choice =
      choose_views(options.epochs_planned, budget_of(options, inputs, previous, tiles));
  listener.note("--views auto: " + choice.reason);
  return choice.views;
}

}  // namespace letterpress
