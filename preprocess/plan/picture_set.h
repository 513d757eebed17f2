#pragma once
#include <optional>
#include <string>
#include <unordered_map>
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
    by_hash_.reserve(all.size());
    for (const Picture& picture : all) {
      if (!chosen(picture)) continue;
      by_hash_.emplace(picture.picture_hash, &picture);
      pictures_.push_back(&picture);
    }
  }
  /// The first of the same bytes, else one of the same path; nullptr: none.
  const Picture* find(const LedgerEntry& entry) {
    if (const auto same = by_hash_.find(entry.picture_hash); same != by_hash_.end())
      return same->second;
    const auto there = by_path().find(entry.path);
    return there == by_path().end() ? nullptr : there->second;
  }
  bool has(const LedgerEntry& entry) { return find(entry) != nullptr; }
  bool has_bytes(const LedgerEntry& entry) const { return by_hash_.contains(entry.picture_hash); }

 private:
  static std::string path_of(const Candidate& candidate) { return picture_path(candidate.item); }
  static const std::string& path_of(const LedgerEntry& entry) { return entry.path; }

  const std::unordered_map<std::string, const Picture*>& by_path() {
    if (!by_path_) {
      by_path_.emplace(pictures_.size());
      for (const Picture* picture : pictures_) by_path_->emplace(path_of(*picture), picture);
    }
    return *by_path_;
  }

  std::unordered_map<Hash128, const Picture*> by_hash_;
  std::vector<const Picture*> pictures_;
  std::optional<std::unordered_map<std::string, const Picture*>> by_path_;
};

template <typename Pictures, typename Chosen>
PictureSet(const Pictures&, Chosen) -> PictureSet<typename Pictures::value_type>;

}  // namespace letterpress
