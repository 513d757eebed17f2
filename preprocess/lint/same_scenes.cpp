#include <fmt/format.h>

#include <map>

#include "preprocess/likeness/scenes.h"
#include "preprocess/lint/seen_pictures.h"

namespace letterpress {
namespace {

const char* const kFix =
    "look at both; `build --val SHARE` keeps a scene in one split, --group does so by name";

// Of each picture: the one of train that agrees with it in most corners, the first of these.
std::map<std::int32_t, AlikePair> closest_in_train(std::span<const SeenPicture> all,
                                                   std::span<const AlikePair> pairs) {
  std::map<std::int32_t, AlikePair> closest;
  const auto is_in_train = [&](std::int32_t picture) {
    return all[static_cast<std::size_t>(picture)].entry->split == "train";
  };
  for (const AlikePair& pair : pairs) {
    if (is_in_train(pair.a) == is_in_train(pair.b)) continue;
    const AlikePair told = is_in_train(pair.b) ? pair : AlikePair{pair.b, pair.a, pair.corners};
    const auto [known, is_new] = closest.emplace(told.a, told);
    if (!is_new && told.corners > known->second.corners) known->second = told;
  }
  return closest;
}

std::map<std::int32_t, const LedgerEntry*> scenes_of_train(std::span<const SeenPicture> all,
                                                           const Scenes& scenes) {
  std::map<std::int32_t, const LedgerEntry*> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].entry->split == "train") seen.emplace(scenes.first[i], all[i].entry);
  }
  return seen;
}

}  // namespace

void find_same_scenes(std::span<const SeenPicture> all, std::vector<Finding>& findings,
                      Leaking& leaking) {
  std::vector<Look> looks;
  for (const SeenPicture& seen : all) looks.push_back(seen.look);
  const std::vector<AlikePair> pairs = alike_pairs(looks);
  const Scenes scenes = scenes_of(looks.size(), pairs);
  const auto closest = closest_in_train(all, pairs);
  const auto in_train = scenes_of_train(all, scenes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const LedgerEntry& entry = *all[i].entry;
    const auto pair = closest.find(static_cast<std::int32_t>(i));
    const auto scene = in_train.find(scenes.first[i]);
    if (entry.split == "train" || (pair == closest.end() && scene == in_train.end())) continue;
    if (!leaking.insert(&entry).second) continue;  // a near-duplicate
    const LedgerEntry& other = pair == closest.end()
                                   ? *scene->second
                                   : *all[static_cast<std::size_t>(pair->second.b)].entry;
    const std::string told =
        pair == closest.end()
            ? "is of one series with {} ({}) of split train"
            : fmt::format("shows what {{}} ({{}}) of split train shows: {} of {} corners agree",
                          pair->second.corners, all[i].look.size());
    findings.push_back(finding("same-scene", entry,
                               fmt::format(fmt::runtime(told), other.name, other.where), kFix));
  }
}

}  // namespace letterpress
