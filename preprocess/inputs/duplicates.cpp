#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

#include "letterpress/base/error.h"
#include "preprocess/inputs/inputs.h"

namespace letterpress {
namespace {

constexpr std::int64_t kNamedDuplicates = 5;

// Formats write the corners of one box with different numbers of digits, down to none.
constexpr float kRounding = 0.5F;  // pixels

bool is_same_box(const LabelBox& a, const LabelBox& b) {
  const auto near = [](float one, float other) { return std::abs(one - other) <= kRounding; };
  return a.class_id == b.class_id && near(a.x1, b.x1) && near(a.y1, b.y1) && near(a.x2, b.x2) &&
         near(a.y2, b.y2);
}

// val beats all, so that a picture never trains and validates; any other split beats train, first
// what --split says.
int rank(const Candidate& candidate) {
  const std::string& split = candidate.split;
  return split == "val" ? 3 : split == "train" ? 0 : candidate.split_by_flag ? 2 : 1;
}

std::string place_of(const Candidate& candidate) {
  return candidate.item.name + " (" + candidate.item.where + ")";
}

Reject two_labels(const Candidate& kept, const Candidate& other,
                  const std::vector<std::string>& classes) {
  const auto name = [&](const Candidate& candidate) {
    return "'" + classes.at(static_cast<std::size_t>(candidate.item.label)) + "'";
  };
  return {other.item.where,
          "is labelled " + name(other) + ", but has the same bytes as " + kept.item.where +
              ", labelled " + name(kept),
          "remove the wrong one"};
}

class Merger {
 public:
  Merger(Inputs& inputs, Duplicates differing) : inputs_(inputs), differing_(differing) {}

  void merge(Candidate& kept, Candidate& other) {
    if (kept.split != other.split) settle_split(kept, other);
    const std::size_t first = first_boxes_.emplace(&kept, kept.boxes.size()).first->second;
    const bool differs = !has_boxes_of(kept, first, other);
    std::vector<LabelBox> new_boxes;
    for (LabelBox& box : other.boxes) {
      const auto same =
          std::ranges::find_if(kept.boxes, [&](const LabelBox& o) { return is_same_box(o, box); });
      if (same == kept.boxes.end()) {
        new_boxes.push_back(std::move(box));
      } else if (differing_ == Duplicates::unite) {
        same->flags |= box.flags;
        if (same->outline.empty()) same->outline = std::move(box.outline);
      }
    }
    inputs_.boxes_merged += static_cast<std::int64_t>(other.boxes.size() - new_boxes.size());
    if (differs) differ(kept, other);
    if (differing_ == Duplicates::first) {
      leave_out(kept, other, static_cast<std::int64_t>(new_boxes.size()));
    } else {
      kept.boxes.insert(kept.boxes.end(), new_boxes.begin(), new_boxes.end());
    }
    if (!other.boxes_out.empty()) add_box_out(kept, other.item.where + ", " + other.boxes_out);
    if (kept.item.label < 0) kept.item.label = other.item.label;
    other.boxes.clear();
  }

  void name_differing() {
    if (n_ == 0) return;
    const std::string what =
        differing_ == Duplicates::unite ? "which are united" : "the first one's are kept";
    inputs_.recognised.push_back(std::to_string(n_) +
                                 " pictures have the bytes of another and other boxes, " + what +
                                 ": " + first_ + (n_ > kNamedDuplicates ? ", ..." : ""));
  }

 private:
  // The first picture's own boxes stand before those that copies have added.
  static bool has_boxes_of(const Candidate& kept, std::size_t first, const Candidate& other) {
    const auto own = std::span(kept.boxes).first(first);
    const auto is_own = [&](const LabelBox& box) {
      return std::ranges::any_of(
          own, [&](const LabelBox& o) { return is_same_box(o, box) && o.flags == box.flags; });
    };
    return other.boxes.size() == first && std::ranges::all_of(other.boxes, is_own);
  }

  void settle_split(Candidate& kept, const Candidate& other) {
    if (rank(other) > rank(kept)) {
      kept.split = other.split;
      kept.split_by_flag = other.split_by_flag;
    }
    if (kept.split == "val")
      ++inputs_.moved_to_val;
    else
      ++inputs_.moved_elsewhere[kept.split];
  }

  void differ(const Candidate& kept, const Candidate& other) {
    if (differing_ == Duplicates::error) {
      throw Error({.where = other.item.where,
                   .what = other.item.name + " has the same bytes as " + place_of(kept) +
                           " and other boxes; nothing was published",
                   .fix = "remove the wrong one, or pass --duplicates unite or first"});
    }
    if (n_++ < kNamedDuplicates)
      first_ += (first_.empty() ? "" : ", ") + place_of(other) + " as " + place_of(kept);
  }

  void leave_out(Candidate& kept, const Candidate& other, std::int64_t boxes) {
    if (boxes == 0) return;
    inputs_.boxes_rejected += boxes;
    const Reject reject{other.item.where,
                        std::to_string(boxes) + " boxes left out: the same bytes are labelled at " +
                            kept.item.where,
                        "--duplicates unite keeps both", Reject::Scope::box};
    add_box_out(kept, other.item.where + ", " + ledger_reason(reject));
    inputs_.box_rejects.push_back(reject);
  }

  Inputs& inputs_;
  const Duplicates differing_;
  std::unordered_map<const Candidate*, std::size_t> first_boxes_;  // before a copy added any
  std::int64_t n_ = 0;
  std::string first_;
};

}  // namespace

void merge_duplicates(Inputs& inputs, Duplicates differing) {
  Merger merger(inputs, differing);
  std::unordered_map<Hash128, std::int32_t> first(inputs.candidates.size());
  for (std::size_t i = 0; i < inputs.candidates.size(); ++i) {
    Candidate& candidate = inputs.candidates[i];
    if (candidate.reject) continue;
    const auto [known, is_new] =
        first.emplace(candidate.picture_hash, static_cast<std::int32_t>(i));
    if (is_new) continue;
    Candidate& kept = inputs.candidates[static_cast<std::size_t>(known->second)];
    if (kept.item.label >= 0 && candidate.item.label >= 0 &&
        kept.item.label != candidate.item.label) {
      candidate.reject =
          std::make_shared<const Reject>(two_labels(kept, candidate, inputs.classes));
      candidate.width = candidate.height =
          0;  // in the ledger, a reject with a size is one of bytes that cannot be decoded
      continue;
    }
    candidate.duplicate_of = known->second;
    merger.merge(kept, candidate);
  }
  merger.name_differing();
  for (Candidate& candidate : inputs.candidates) {
    if (candidate.duplicate_of >= 0)
      candidate.split = inputs.candidates[static_cast<std::size_t>(candidate.duplicate_of)].split;
  }
}

}  // namespace letterpress
