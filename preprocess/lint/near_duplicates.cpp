#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "preprocess/lint/seen_pictures.h"

namespace letterpress {
namespace {

constexpr std::size_t kCompared = 64;  // of pictures with one and the same hash: thousands of
                                       // frames of a standing camera are not all compared

// Of each pair of splits one side is told: never train, else the later name.
bool is_told_of(const std::string& split, const std::string& other) {
  return split != other && split != "train" && (other == "train" || other < split);
}

struct Closest {
  const SeenPicture* other = nullptr;
  int bits = 65;
  double grey = 0;
};

class Search {
 public:
  Search(std::span<const SeenPicture> all, const LintOptions& options) : options_(options) {
    std::vector<std::uint64_t> values;
    for (const SeenPicture& seen : all) {
      auto& splits = members_[seen.hash.bits];
      if (splits.empty()) values.push_back(seen.hash.bits);
      splits[seen.entry->split].push_back(&seen);
    }
    for (const auto& [a, b] : near_pairs(values, options.radius)) {
      neighbours_[a].push_back(b);
      neighbours_[b].push_back(a);
    }
  }

  // Of train, where it shows such a picture: that is what makes scores too good.
  Closest closest(const SeenPicture& seen) const {
    const Closest of_train = closest_of(seen, true);
    return of_train.other ? of_train : closest_of(seen, false);
  }

 private:
  Closest closest_of(const SeenPicture& seen, bool in_train) const {
    Closest best;
    compare(seen, in_train, seen.hash.bits, best);
    const auto near = neighbours_.find(seen.hash.bits);
    if (near == neighbours_.end()) return best;
    for (const std::uint64_t value : near->second) compare(seen, in_train, value, best);
    return best;
  }

  void compare(const SeenPicture& seen, bool in_train, std::uint64_t value, Closest& best) const {
    for (const auto& [split, members] : members_.at(value)) {
      if ((split == "train") != in_train || !is_told_of(seen.entry->split, split)) continue;
      for (std::size_t i = 0; i < std::min(members.size(), kCompared); ++i) {
        const Closest candidate{members[i], hamming(seen.hash.bits, value),
                                grey_difference(seen.hash, members[i]->hash)};
        if (candidate.grey > options_.grey) continue;
        if (std::tie(candidate.bits, candidate.grey) < std::tie(best.bits, best.grey))
          best = candidate;
      }
    }
  }

  const LintOptions& options_;
  std::map<std::uint64_t, std::map<std::string, std::vector<const SeenPicture*>>> members_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> neighbours_;
};

}  // namespace

void find_near_duplicates(const LintSource& source, std::span<const SeenPicture> all,
                          std::vector<Finding>& findings, Leaking& leaking) {
  const Search search(all, source.options);
  for (const SeenPicture& seen : all) {
    const Closest closest = search.closest(seen);
    if (closest.other == nullptr) continue;
    const LedgerEntry& other = *closest.other->entry;
    if (other.split == "train") leaking.insert(seen.entry);
    findings.push_back(finding(
        "near-duplicate", *seen.entry,
        fmt::format(
            "looks like {} ({}) of split {}: {} of 64 hash bits and {:.1f} grey levels apart",
            other.name, other.where, other.split, closest.bits, closest.grey),
        "look at both; when they show the same, keep them in one split (--group), or take one "
        "out"));
  }
}

}  // namespace letterpress
