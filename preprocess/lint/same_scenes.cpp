#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "preprocess/likeness/agreement.h"
#include "preprocess/likeness/alike_pairs.h"
#include "preprocess/likeness/joined.h"
#include "preprocess/likeness/scenes.h"
#include "preprocess/lint/seen_pictures.h"

namespace letterpress {
namespace {

const char* const kFix =
    "look at both; `build --val SHARE` keeps a scene in one split, --group does so by name";

using Pictures = std::vector<std::int32_t>;

// Of those of train, by the first picture that they hang together with.
std::map<std::int32_t, Pictures> train_by_first(std::span<const SeenPicture> all, Joined& joined) {
  std::map<std::int32_t, Pictures> seen;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(all.size()); ++i) {
    if (all[static_cast<std::size_t>(i)].entry->split == "train")
      seen[joined.first_of(i)].push_back(i);
  }
  return seen;
}

// Of those of a scene that are listed next to `picture`, the one that agrees with it in most
// corners; corners is 0 if none is of one scene with it, but by way of others.
AlikePair closest(std::span<const SeenPicture> all, std::int32_t picture, const Pictures& scene) {
  constexpr std::ptrdiff_t kLookedAt = 16;
  const auto place = std::ranges::lower_bound(scene, picture) - scene.begin();
  const auto n = static_cast<std::ptrdiff_t>(scene.size());
  const auto first = std::clamp<std::ptrdiff_t>(place - kLookedAt / 2, 0,
                                                std::max<std::ptrdiff_t>(0, n - kLookedAt));
  AlikePair best{picture, scene.front(), 0};
  for (std::ptrdiff_t i = first; i < std::min(n, first + kLookedAt); ++i) {
    const std::int32_t other = scene[static_cast<std::size_t>(i)];
    const Agreement agreement =
        agreeing_corners(all[static_cast<std::size_t>(picture)].look,
                         all[static_cast<std::size_t>(other)].look, kAgreeing);
    if (agreement.is_of_one_scene() && agreement.corners > best.corners)
      best = {picture, other, agreement.corners};
  }
  return best;
}

}  // namespace

void find_same_scenes(std::span<const SeenPicture> all, std::vector<Finding>& findings,
                      Leaking& leaking) {
  std::vector<Look> looks;
  for (const SeenPicture& seen : all) looks.push_back(seen.look);
  const std::vector<AlikePair> pairs = alike_pairs(looks);
  const Scenes scenes = scenes_of(looks.size(), pairs);
  Joined joined(looks.size());
  for (const AlikePair& pair : pairs) joined.join(pair.a, pair.b);
  const std::map<std::int32_t, Pictures> in_train = train_by_first(all, joined);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const LedgerEntry& entry = *all[i].entry;
    const auto scene = in_train.find(joined.first_of(static_cast<std::int32_t>(i)));
    if (entry.split == "train" || scene == in_train.end()) continue;
    const AlikePair pair = closest(all, static_cast<std::int32_t>(i), scene->second);
    const auto b = static_cast<std::size_t>(pair.b);
    if (pair.corners == 0 && scenes.first[i] != scenes.first[b]) continue;  // a standing camera's
    if (!leaking.insert(&entry).second) continue;                           // a near-duplicate
    const LedgerEntry& other = *all[b].entry;
    const std::string told =
        pair.corners == 0
            ? "is of one series with {} ({}) of split train"
            : fmt::format("shows what {{}} ({{}}) of split train shows: {} of {} corners agree",
                          pair.corners, all[i].look.size());
    findings.push_back(finding("same-scene", entry,
                               fmt::format(fmt::runtime(told), other.name, other.where), kFix));
  }
}

}  // namespace letterpress
