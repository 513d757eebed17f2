#include "preprocess/inputs/inputs.h"

#include <algorithm>
#include <unordered_set>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

double area(const LabelBox& box) {
  return static_cast<double>(box.x2 - box.x1) * static_cast<double>(box.y2 - box.y1);
}

}  // namespace

void add_box_out(Candidate& candidate, const std::string& line) {
  constexpr std::size_t kMost = 4000;
  std::string& text = candidate.boxes_out;
  if (text.size() < kMost) text += (text.empty() ? "" : "\n") + line;
}

void drop_unused_classes(Inputs& inputs) {
  std::vector<bool> used = inputs.lasting;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    for (const LabelBox& box : candidate.boxes)
      used.at(static_cast<std::size_t>(box.class_id)) = true;
    if (candidate.item.label >= 0) used.at(static_cast<std::size_t>(candidate.item.label)) = true;
  }
  std::vector<std::int32_t> new_id;
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    new_id.push_back(used[i] ? static_cast<std::int32_t>(kept.size()) : -1);
    if (used[i]) kept.push_back(inputs.classes[i]);
  }
  if (kept.size() == inputs.classes.size()) return;
  for (Candidate& candidate : inputs.candidates) {
    const auto move = [&](std::int32_t& id) {
      id = id < 0 ? -1 : new_id[static_cast<std::size_t>(id)];
    };
    for (LabelBox& box : candidate.boxes) move(box.class_id);
    move(candidate.item.label);
  }
  inputs.classes = std::move(kept);
  inputs.lasting.assign(inputs.classes.size(), true);
}

void limit_boxes(Inputs& inputs, const BuildOptions& options) {
  const auto limit = static_cast<std::size_t>(options.max_boxes);
  if (limit == 0) return;
  for (Candidate& candidate : inputs.candidates) {
    if (candidate.boxes.size() <= limit) continue;
    const std::size_t n = candidate.boxes.size();
    const std::string count = std::to_string(n);
    if (options.on_overflow == Overflow::error) {
      throw Error({.where = candidate.item.where,
                   .what = picture_path(candidate.item) + " has " + count +
                           " boxes, --max-boxes allows " + std::to_string(limit),
                   .fix = "raise it, or keep the largest with --on-overflow largest"});
    }
    // Those that stay keep the label file's order.
    std::vector<LabelBox> by_size = candidate.boxes;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const LabelBox& a, const LabelBox& b) { return area(a) > area(b); });
    by_size.resize(limit);
    std::erase_if(candidate.boxes, [&](const LabelBox& box) {
      const auto kept = std::find(by_size.begin(), by_size.end(), box);
      if (kept == by_size.end()) return true;
      by_size.erase(kept);
      return false;
    });
    const auto cut = static_cast<std::int64_t>(n - limit);
    inputs.boxes_rejected += cut;
    const Reject reject{candidate.item.where,
                        std::to_string(cut) + " of " + count + " boxes over --max-boxes " +
                            std::to_string(limit) + ", the smallest left out",
                        "raise --max-boxes to keep them", Reject::Scope::box};
    add_box_out(candidate, ledger_reason(reject));
    inputs.box_rejects.push_back(reject);
  }
}

std::vector<Reject> all_rejects(const Inputs& inputs) {
  std::vector<Reject> rejects;
  std::unordered_set<std::string> seen;
  const auto add = [&](const Reject& reject) {
    if (seen.insert(to_string(reject)).second) rejects.push_back(reject);
  };
  for (const Candidate& candidate : inputs.candidates) {
    if (candidate.reject) add(*candidate.reject);
  }
  for (const Reject& reject : inputs.box_rejects) add(reject);
  return rejects;
}

std::string ledger_reason(const Reject& reject) {
  return to_string(Message{.where = "", .what = reject.what, .fix = reject.fix});
}

Hash128 hash_labels(const std::vector<LabelBox>& boxes, std::int32_t label,
                    const std::vector<std::string>& classes) {
  const auto name = [&](std::int32_t id) {
    return id < 0 ? std::string() : classes.at(static_cast<std::size_t>(id));
  };
  Hasher hasher;
  hasher.add_value(static_cast<std::uint64_t>(boxes.size()));
  for (const LabelBox& box : boxes) {
    for (const float value : {box.x1, box.y1, box.x2, box.y2, box.area})
      hasher.add_value(value + 0.0f);  // one zero only, no -0
    hasher.add_value(box.flags).add(name(box.class_id)).add_value('\n');
    // Rows of older programs may lack crowds that are cut: their pictures are made again once.
    if ((box.flags & kCrowd) != 0) hasher.add("any part");
    if (box.outline.empty()) continue;  // the hash of labels without outlines is older than those
    hasher.add_value(static_cast<std::uint64_t>(box.outline.size()));
    for (const auto& [x, y] : box.outline) hasher.add_value(x).add_value(y);
  }
  hasher.add(name(label));
  return hasher.digest128();
}

Accounting account(const Inputs& inputs) {
  Accounting sums;
  sums.boxes_found = inputs.boxes_found;
  sums.boxes_merged = inputs.boxes_merged;
  sums.boxes_rejected = inputs.boxes_rejected;
  sums.moved_to_val = inputs.moved_to_val;
  sums.pictures_unlabelled = inputs.unlabelled;
  for (const Candidate& candidate : inputs.candidates) {
    ++sums.pictures_found;
    sums.pictures_cmyk += candidate.cmyk;
    sums.pictures_alpha += candidate.alpha;
    sums.pictures_deep += candidate.bit_depth > 8;
    sums.boxes_clipped += candidate.clipped;
    const auto boxes = static_cast<std::int64_t>(candidate.boxes.size());
    if (candidate.reject) {
      ++sums.pictures_rejected;
      const bool checked = candidate.width > 0;  // else its boxes are still in the item
      sums.boxes_rejected +=
          checked ? boxes : static_cast<std::int64_t>(candidate.item.boxes.size());
    } else if (candidate.duplicate_of >= 0) {
      ++sums.pictures_duplicate;
    } else {
      ++sums.pictures_stored;
      sums.pictures_background += boxes == 0 && candidate.item.label < 0 ? 1 : 0;
      sums.boxes_stored += boxes;
    }
  }
  return sums;
}

namespace {

void check_tiles(const Accounting& sums) {
  if (!sums.tiles) return;
  const TileAccounting& tiles = *sums.tiles;
  const std::int64_t became = tiles.accounted(), boxes = tiles.boxes_accounted();
  if (tiles.laid == became && sums.boxes_stored == boxes) return;
  throw Error(
      {.where = "the accounts do not add up",
       .what = "tiles laid " + std::to_string(tiles.laid) + ", stored + left out + rejected " +
               std::to_string(became) + "; boxes stored " + std::to_string(sums.boxes_stored) +
               ", whole + cut + outside " + std::to_string(boxes),
       .fix = "a bug of ours, please report it"},
      Exit::bug);
}

}  // namespace

void check_identities(const Accounting& sums) {
  const std::int64_t pictures = sums.pictures_accounted(), boxes = sums.boxes_accounted();
  check_tiles(sums);
  if (sums.pictures_found == pictures && sums.boxes_found == boxes) return;
  throw Error({.where = "the accounts do not add up",
               .what = "pictures found " + std::to_string(sums.pictures_found) +
                       ", stored + duplicate + rejected " + std::to_string(pictures) +
                       "; boxes found " + std::to_string(sums.boxes_found) +
                       ", stored + merged + rejected " + std::to_string(boxes),
               .fix = "a bug of ours, please report it"},
              Exit::bug);
}

}  // namespace letterpress
