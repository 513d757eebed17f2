#pragma once
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "letterpress/base/hash.h"
#include "letterpress/shards/ledger.h"
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Pictures that a ledger's entry is looked for in, by its bytes or by its path. Picture: Candidate
/// or LedgerEntry; they must outlive the set. Most are found by their bytes: the set of paths is
/// made when one is not.
template <typename Picture>
class PictureSet {
 public:
  /// Those of `all` for which `chosen` holds.
  template <typename Pictures, typename Chosen>
  PictureSet(const Pictures& all, Chosen chosen) {
    hashes_.reserve(all.size());
    for (const Picture& picture : all) {
      if (!chosen(picture)) continue;
      hashes_.insert(picture.picture_hash);
      pictures_.push_back(&picture);
    }
  }
  bool has(const LedgerEntry& entry) {
    return hashes_.contains(entry.picture_hash) || paths().contains(entry.path);
  }

 private:
  static std::string path_of(const Candidate& candidate) { return picture_path(candidate.item); }
  static const std::string& path_of(const LedgerEntry& entry) { return entry.path; }

  const std::unordered_set<std::string>& paths() {
    if (!paths_) {
      paths_.emplace(pictures_.size());
      for (const Picture* picture : pictures_) paths_->insert(path_of(*picture));
    }
    return *paths_;
  }

  std::unordered_set<Hash128> hashes_;
  std::vector<const Picture*> pictures_;
  std::optional<std::unordered_set<std::string>> paths_;
};

template <typename Pictures, typename Chosen>
PictureSet(const Pictures&, Chosen) -> PictureSet<typename Pictures::value_type>;

}  // namespace letterpress
