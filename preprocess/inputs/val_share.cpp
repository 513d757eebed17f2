#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "preprocess/inputs/splits.h"
#include "preprocess/options/split_key.h"

namespace letterpress {
namespace {

// Which keys belong together: those of which one picture's bytes are.
class Keys {
 public:
  Hash128 root(Hash128 key) {
    for (auto above = above_.find(key); above != above_.end(); above = above_.find(key))
      key = above->second;
    return key;
  }
  void join(const Hash128& key, const Hash128& picture) {
    const auto [known, is_new] = of_picture_.emplace(picture, key);
    if (is_new) return;
    const Hash128 a = root(key), b = root(known->second);
    if (a != b) above_.emplace(std::max(a, b), std::min(a, b));
  }

 private:
  std::unordered_map<Hash128, Hash128> above_, of_picture_;
};

// The pictures of keys that belong together, which stay together.
struct Group {
  Hash128 key{};
  std::vector<Candidate*> candidates{};
  std::int64_t pictures = 0;  // of different bytes
  std::optional<bool> was_in_val{};
  bool taken = false;
};

// Those that label files leave in train, in the order in which val takes them. A picture that is in
// another split too is not among them: that split gets it.
std::vector<Group> groups_of(Inputs& inputs, const SplitKey& split_key,
                             const EarlierSplits& earlier,
                             const std::unordered_map<Hash128, Hash128>& scene_of) {
  std::unordered_set<Hash128> seen;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.reject && candidate.split != "train") seen.insert(candidate.picture_hash);
  }
  const std::unordered_set<Hash128> elsewhere = seen;
  const auto is_free = [&](const Candidate& candidate) {
    return !candidate.reject && !elsewhere.contains(candidate.picture_hash);
  };
  const auto key_of = [&](const Candidate& candidate) {
    const auto scene = scene_of.find(candidate.picture_hash);
    if (scene != scene_of.end()) return scene->second;
    return split_key.of(candidate.item, inputs.label_folders.at(candidate.label_file),
                        candidate.picture_hash);
  };
  Keys keys;
  for (const Candidate& candidate : inputs.candidates)
    if (is_free(candidate)) keys.join(key_of(candidate), candidate.picture_hash);
  std::unordered_map<Hash128, Group> by_key;
  for (Candidate& candidate : inputs.candidates) {
    if (!is_free(candidate)) continue;
    const Hash128 key = keys.root(key_of(candidate));
    Group& group = by_key[key];
    group.key = key;
    group.candidates.push_back(&candidate);
    group.pictures += seen.insert(candidate.picture_hash).second;
    const std::optional<bool> in_val = earlier.in_val(candidate);
    if (!in_val) continue;
    group.was_in_val = *in_val || group.was_in_val.value_or(false);
  }
  std::vector<Group> groups;
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    const bool a_stays = a.was_in_val.value_or(false), b_stays = b.was_in_val.value_or(false);
    return a_stays != b_stays ? a_stays : a.key.bytes < b.key.bytes;
  });
  return groups;
}

std::int64_t wanted_in_val(std::int64_t pictures, double share) {
  const std::int64_t wanted = std::llround(share * static_cast<double>(pictures));
  return std::max<std::int64_t>(wanted, share > 0 && pictures > 1 ? 1 : 0);
}

// A group that brings the count nearer to what is wanted is taken; a first one must be.
void take_groups(std::vector<Group>& groups, std::int64_t wanted, bool stay) {
  std::int64_t taken = 0;
  const auto take = [&](Group& group) {
    group.taken = true;
    taken += group.pictures;
  };
  for (Group& group : groups) {
    const bool fixed = stay && group.was_in_val;
    if (fixed ? *group.was_in_val : group.pictures <= 2 * (wanted - taken)) take(group);
  }
  if (taken > 0 || wanted == 0 || groups.size() < 2) return;
  std::vector<Group*> free;
  for (Group& group : groups) {
    if (!stay || !group.was_in_val) free.push_back(&group);
  }
  const auto smallest = std::ranges::min_element(free, {}, &Group::pictures);
  if (smallest != free.end()) take(**smallest);
}

}  // namespace

std::optional<bool> EarlierSplits::in_val(const Candidate& candidate) const {
  const auto bytes = bytes_in_val.find(candidate.picture_hash);
  if (bytes != bytes_in_val.end()) return bytes->second;
  const auto path = path_in_val.find(picture_path(candidate.item));
  return path == path_in_val.end() ? std::nullopt : std::optional(path->second);
}

TornGroups assign_val_share(Inputs& inputs, double share, const std::string& group,
                            const EarlierSplits& earlier,
                            const std::unordered_map<Hash128, Hash128>& scene_of) {
  std::vector<Group> groups = groups_of(inputs, SplitKey(group), earlier, scene_of);
  std::int64_t pictures = 0;
  inputs.stay_in_train = 0;
  for (const Group& one : groups) {
    pictures += one.pictures;
    if (earlier.same_share && one.was_in_val == false) inputs.stay_in_train += one.pictures;
  }
  take_groups(groups, wanted_in_val(pictures, share), earlier.same_share);
  TornGroups torn;
  for (const Group& one : groups) {
    std::size_t in_val = 0, are_new = 0;
    for (Candidate* candidate : one.candidates) {
      const std::optional<bool> was =
          earlier.same_share ? earlier.in_val(*candidate) : std::nullopt;
      if (!was.value_or(one.taken)) continue;
      candidate->split = "val";
      ++in_val;
      are_new += was ? 0 : 1;
    }
    if (in_val == 0 || in_val == one.candidates.size()) continue;
    if (torn.n++ == 0) torn.example = one.candidates.front()->item.name;
    torn.new_pictures += static_cast<std::int64_t>(are_new);
  }
  return torn;
}

}  // namespace letterpress
