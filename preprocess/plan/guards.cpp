#include "preprocess/plan/guards.h"

#include <fmt/format.h>

#include <algorithm>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/shards/tiles.h"

namespace letterpress {
namespace {

constexpr std::int64_t kNamedRejects = 5;

std::string share_text(std::int64_t n, std::int64_t of, const char* what) {
  return fmt::format(
      "{} of {} {} ({})", n, of, what,
      percent_text(static_cast<double>(n) / static_cast<double>(std::max(of, std::int64_t{1}))));
}

bool is_over(std::int64_t n, std::int64_t of, double most) {
  return static_cast<double>(n) > most * static_cast<double>(of);
}

// The first of them, a line each; of missing pictures a remark tells. gate: the flag that lets all
// of them pass.
std::string named(const std::vector<Reject>& rejects, Reject::Scope scope,
                  const std::string& gate) {
  std::string text;
  std::int64_t n = 0;
  for (const Reject& reject : rejects) {
    if (reject.scope == scope && !reject.is_missing && n++ < kNamedRejects)
      text += "\n  " + to_string(reject);
  }
  if (n > kNamedRejects)
    text +=
        fmt::format("\n  and {} more; --dry-run --json {} 100% lists all", n - kNamedRejects, gate);
  return text;
}

}  // namespace

std::string percent_text(double share) { return fmt::format("{:.3g}%", share * 100); }

void check_identity(const BuildIdentity& asked, const BuildIdentity& stored,
                    const std::string& store) {
  const auto refuse = [&](const std::string& what, const std::string& has, const std::string& flag,
                          const std::string& asks) {
    throw Error({.where = store,
                 .what = "holds " + what + " " + has + ", " + flag + " asks for " + asks,
                 .fix = "use another --store, or --rebuild"},
                Exit::configuration);
  };
  const auto now = tile_rule_of_recipe(asked.recipe_json),
             then = tile_rule_of_recipe(stored.recipe_json);
  if (now && !then)
    refuse("whole pictures", "of side " + std::to_string(stored.side), "--tile",
           "tiles of " + std::to_string(asked.side));
  if (!now && then)
    refuse("tiles", "of " + std::to_string(stored.side), "--tile 0", "whole pictures");
  if (then && asked.side != stored.side)
    refuse("tiles of", std::to_string(stored.side), "--tile", std::to_string(asked.side));
  if (now != then)
    refuse("tiles by", to_json(*then), "--overlap, --scale or --background-tiles", to_json(*now));
  if (asked.side != stored.side)
    refuse("pictures of side", std::to_string(stored.side), "--size", std::to_string(asked.side));
  if (asked.recipe_json != stored.recipe_json) {
    const bool edited = asked.recipe_name == stored.recipe_name;
    refuse(
        "rows of recipe", "'" + stored.recipe_name + "'", "--recipe",
        "'" + asked.recipe_name + "'" +
            (edited ? ", which has other parameters or another --depth or --truncated now" : ""));
  }
  if (asked.seed != stored.seed)
    refuse("views of seed", std::to_string(stored.seed), "--seed", std::to_string(asked.seed));
}

void check_places(const std::vector<LedgerEntry>& entries, const Snapshot& snapshot,
                  const std::string& where) {
  const auto is_there = [&](const RowRun& run) {
    return run.shard >= 0 && run.shard < std::ssize(snapshot.shards) && run.row >= 0 && run.n > 0 &&
           run.row + run.n <= snapshot.shards[static_cast<std::size_t>(run.shard)].rows;
  };
  for (const LedgerEntry& entry : entries) {
    if (std::ranges::all_of(entry.rows, is_there)) continue;
    throw Error(
        {.where = where + ": snapshot " + std::to_string(snapshot.generation),
         .what = "its ledger names rows of '" + entry.name + "' that it does not have",
         .fix = "restore both of its files from a copy, or move them elsewhere and build again"});
  }
}

void check_rejects(const Accounting& accounting, const std::vector<Reject>& rejects,
                   double max_rejects, const std::vector<std::string>& recognised) {
  const bool none_left = accounting.pictures_stored == 0;
  if (!is_over(accounting.pictures_rejected, accounting.pictures_found, max_rejects) && !none_left)
    return;
  std::string remarks;
  for (const std::string& line : recognised) remarks += "\n  " + line;
  throw Error(
      share_text(accounting.pictures_rejected, accounting.pictures_found, "pictures") +
          " cannot be used, " +
          (none_left ? "none is left" : "--max-rejects allows " + percent_text(max_rejects)) +
          "; nothing was published" + named(rejects, Reject::Scope::picture, "--max-rejects") +
          remarks,
      Exit::data);
}

void check_train_left(const std::vector<LedgerEntry>& ledger, const Accounting& accounting) {
  std::int64_t rejected = 0;
  std::string first;
  for (const LedgerEntry& entry : ledger) {
    if (entry.split != "train") continue;
    if (entry.state == InputState::stored) return;
    if (entry.state != InputState::rejected || rejected++ >= kNamedRejects) continue;
    first +=
        "\n  " + entry.where + ": " + (entry.path.empty() ? "" : entry.path + ": ") + entry.reason;
  }
  if (rejected == 0) return;
  if (rejected > kNamedRejects)
    first += "\n  and " + std::to_string(rejected - kNamedRejects) + " more";
  const std::string moved = accounting.moved_to_val > 0
                                ? ", and the other " + std::to_string(accounting.moved_to_val) +
                                      " are in val, too, and stay there"
                                : "";
  throw Error({.where = "no picture to train on",
               .what = share_text(rejected, std::ssize(ledger), "pictures") +
                       " cannot be used, all that are left to train on" + moved +
                       "; nothing was published" + first},
              Exit::data);
}

void check_rejected_boxes(const Inputs& inputs, double max_rejected_boxes) {
  if (!is_over(inputs.boxes_unusable, inputs.boxes_found, max_rejected_boxes)) return;
  throw Error(share_text(inputs.boxes_unusable, inputs.boxes_found, "boxes") +
                  " cannot be used, --max-rejected-boxes allows " +
                  percent_text(max_rejected_boxes) + "; nothing was published" +
                  named(inputs.box_rejects, Reject::Scope::box, "--max-rejected-boxes"),
              Exit::data);
}

void check_label_files(const Inputs& inputs, double max_unlabelled) {
  const std::int64_t unlabelled = inputs.unlabelled + inputs.unnamed;
  const auto found = static_cast<std::int64_t>(inputs.candidates.size()) + inputs.unnamed;
  if (!is_over(unlabelled, found, max_unlabelled)) return;
  throw Error(
      {.what = share_text(unlabelled, found, "pictures") +
               " have no label file or annotation among those read, --max-unlabelled allows " +
               percent_text(max_unlabelled) + "; nothing was published",
       .fix = "label them, add an empty label file for each picture without objects, or "
              "raise --max-unlabelled"});
}

std::int64_t row_bytes(int side, std::int64_t max_boxes) {
  constexpr std::int64_t kBox = 5 * 4 + 1 + 4;
  constexpr std::int64_t kRow = 1024;  // scalars, parameters and the name of a row
  return std::int64_t{3} * side * side + kBox * max_boxes + kRow;
}

std::int64_t bytes_needed(const Plan& plan, const std::vector<bool>& finished) {
  constexpr std::int64_t kTables = 64 * 1024;  // headers, attributes, alignment
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < plan.shards.size(); ++i) {
    if (finished[i]) continue;
    const SnapshotShard& shard =
        plan.snapshot.shards[static_cast<std::size_t>(plan.shards[i].index)];
    bytes += kTables + shard.rows * row_bytes(plan.snapshot.identity.side, shard.max_boxes);
  }
  return bytes;
}

void check_space(const std::string& store, const Space& space) {
  const auto text = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  if (space.limit > 0 && space.held + space.needed > space.limit) {
    throw Error(
        {.where = store,
         .what = "would hold " + text(space.held + space.needed) + " (" + text(space.needed) +
                 " of it new), --max-store-bytes allows " + text(space.limit),
         .fix = "raise it, or lower --views or --size"},
        Exit::cannot_create);
  }
  if (space.needed > space.free) {
    throw Error({.where = store,
                 .what = "the new shards need " + text(space.needed) + ", its disk has " +
                         text(space.free) + " free",
                 .fix = "make room, or lower --views or --size"},
                Exit::io);
  }
}

}  // namespace letterpress
