#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "preprocess/lint/picture_hash.h"
#include "preprocess/lint/searches.h"

namespace letterpress {
namespace {

constexpr std::size_t kCompared = 64;  // of pictures with one and the same hash: thousands of
                                       // frames of a standing camera are not all compared

struct Seen {
  const LedgerEntry* entry = nullptr;
  PictureHash hash;
};

PicturePart part_of(const ShardReader& shard, std::int64_t row) {
  const auto [width, height] = shard.source_size(row);
  const Letterbox part = letterbox_of(shard.letterbox(row), width, height, shard.spec().side);
  return {part.x, part.y, part.width, part.height};
}

std::vector<Seen> look_at_all(const LintSource& source) {
  std::vector<Seen> all;
  for (const LedgerEntry& entry : source.ledger) {
    if (entry.state == InputState::stored) all.push_back({&entry, {}});
  }
  source.listener.stage("looking at", static_cast<std::int64_t>(all.size()), "pictures");
  tbb::enumerable_thread_specific<std::vector<std::uint8_t>> images;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, all.size(), 16),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end() && !source.stop; ++i) {
                        const ShardReader& shard =
                            source.reader.shard(all[i].entry->rows.front().shard);
                        const std::int64_t row = all[i].entry->rows.front().row;
                        std::vector<std::uint8_t>& image = images.local();
                        image.resize(static_cast<std::size_t>(shard.image_bytes()));
                        shard.read_images(row, 1, image.data());
                        shard.verify_row(row, image);
                        all[i].hash = hash_picture(image, shard.spec().side, part_of(shard, row));
                        source.listener.advance(1);
                      }
                    });
  return all;
}

// Of each pair of splits one side is told: never train, else the later name.
bool is_told_of(const std::string& split, const std::string& other) {
  return split != other && split != "train" && (other == "train" || other < split);
}

struct Closest {
  const Seen* other = nullptr;
  int bits = 65;
  double grey = 0;
};

class Search {
 public:
  Search(const std::vector<Seen>& all, const LintOptions& options) : options_(options) {
    std::vector<std::uint64_t> values;
    for (const Seen& seen : all) {
      auto& splits = members_[seen.hash.bits];
      if (splits.empty()) values.push_back(seen.hash.bits);
      splits[seen.entry->split].push_back(&seen);
    }
    for (const auto& [a, b] : near_pairs(values, options.radius)) {
      neighbours_[a].push_back(b);
      neighbours_[b].push_back(a);
    }
  }

  Closest closest(const Seen& seen) const {
    Closest best;
    compare(seen, seen.hash.bits, best);
    const auto near = neighbours_.find(seen.hash.bits);
    if (near == neighbours_.end()) return best;
    for (const std::uint64_t value : near->second) compare(seen, value, best);
    return best;
  }

 private:
  void compare(const Seen& seen, std::uint64_t value, Closest& best) const {
    for (const auto& [split, members] : members_.at(value)) {
      if (!is_told_of(seen.entry->split, split)) continue;
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
  std::map<std::uint64_t, std::map<std::string, std::vector<const Seen*>>> members_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> neighbours_;
};

}  // namespace

void find_near_duplicates(const LintSource& source, std::vector<Finding>& findings) {
  const std::vector<Seen> all = look_at_all(source);
  if (source.stop) return;
  const Search search(all, source.options);
  for (const Seen& seen : all) {
    const Closest closest = search.closest(seen);
    if (closest.other == nullptr) continue;
    const LedgerEntry& other = *closest.other->entry;
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
