#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>

#include "preprocess/likeness/agreement.h"
#include "preprocess/likeness/alike_pairs.h"
#include "preprocess/likeness/scenes.h"
#include "preprocess/lint/seen_pictures.h"

namespace letterpress {
namespace {

const char* const kFix =
    "look at both; `build --val SHARE` keeps a scene in one split, --group does so by name";

using Pictures = std::vector<std::int32_t>;

bool is_train(const SeenPicture& picture) { return picture.entry->split == "train"; }

// Of each picture of another split: those of train that a pair names.
std::vector<Pictures> partners_in_train(std::span<const SeenPicture> all,
                                        std::span<const AlikePair> pairs) {
  std::vector<Pictures> partners(all.size());
  for (const auto& [a, b, corners] : pairs) {
    const auto at_a = static_cast<std::size_t>(a), at_b = static_cast<std::size_t>(b);
    if (is_train(all[at_a]) && !is_train(all[at_b])) partners[at_b].push_back(a);
    if (is_train(all[at_b]) && !is_train(all[at_a])) partners[at_a].push_back(b);
  }
  return partners;
}

// Pictures of train, by the first one that they hang together with.
std::map<std::int32_t, Pictures> train_by_group(std::span<const SeenPicture> all,
                                                const Scenes& scenes) {
  std::map<std::int32_t, Pictures> by_group;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_train(all[i])) by_group[scenes.group[i]].push_back(static_cast<std::int32_t>(i));
  }
  return by_group;
}

// Of `others` the one that agrees with a picture in most corners; corners is 0 if none does.
AlikePair closest(std::span<const SeenPicture> all, std::int32_t picture, const Pictures& others) {
  AlikePair best{picture, others.front(), 0};
  for (const std::int32_t other : others) {
    const auto [first, second] = std::minmax(picture, other);  // as alike_pairs() compares them
    const Agreement agreement =
        agreeing_corners(all[static_cast<std::size_t>(first)].look,
                         all[static_cast<std::size_t>(second)].look, kAgreeing);
    if (agreement.is_of_one_scene() && agreement.corners > best.corners)
      best = {picture, other, agreement.corners};
  }
  return best;
}

// A group's pictures of train that a picture is compared with: all, or some from all over it.
void add_some(const Pictures& group, Pictures& others) {
  constexpr std::size_t kLookedAt = 16;
  const std::size_t n = std::min(group.size(), kLookedAt);
  for (std::size_t i = 0; i < n; ++i) others.push_back(group[i * group.size() / n]);
}

// By place in `all`: the picture of train that shows what one of another split shows; a is -1 where
// there is none.
std::vector<AlikePair> shown_in_train(std::span<const SeenPicture> all, const Leaking& leaking,
                                      const StopRequest& stop) {
  std::vector<Look> looks;
  for (const SeenPicture& seen : all) looks.push_back(seen.look);
  const std::vector<AlikePair> pairs = alike_pairs(looks, stop);
  const Scenes scenes = scenes_of(looks.size(), pairs);
  std::vector<Pictures> others = partners_in_train(all, pairs);
  const std::map<std::int32_t, Pictures> train = train_by_group(all, scenes);
  std::vector<AlikePair> shown(all.size(), {-1, -1, 0});
  tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
    if (stop || is_train(all[i]) || leaking.contains(all[i].entry)) return;
    const auto group = train.find(scenes.group[i]);
    if (group != train.end()) add_some(group->second, others[i]);
    if (others[i].empty()) return;
    const AlikePair pair = closest(all, static_cast<std::int32_t>(i), others[i]);
    const auto b = static_cast<std::size_t>(pair.b);
    if (pair.corners > 0 || scenes.first[i] == scenes.first[b]) shown[i] = pair;
  });
  return shown;
}

}  // namespace

void find_same_scenes(const LintSource& source, std::span<const SeenPicture> all,
                      std::vector<Finding>& findings, Leaking& leaking) {
  for (const AlikePair& pair : shown_in_train(all, leaking, source.stop)) {
    if (pair.a < 0) continue;
    const SeenPicture& picture = all[static_cast<std::size_t>(pair.a)];
    const LedgerEntry& other = *all[static_cast<std::size_t>(pair.b)].entry;
    const std::string told =
        pair.corners == 0
            ? "is of one series with {} ({}) of split train"
            : fmt::format("shows what {{}} ({{}}) of split train shows: {} of {} corners agree",
                          pair.corners, picture.look.size());
    leaking.insert(picture.entry);
    findings.push_back(finding("same-scene", *picture.entry,
                               fmt::format(fmt::runtime(told), other.name, other.where), kFix));
  }
}

}  // namespace letterpress
