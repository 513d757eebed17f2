#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "letterpress/shards/open_shard.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// Which classes the last build's boxes have, read from its rows: what is left to look at where
/// labels have been edited since, so that their hash says nothing.
class KeptClasses {
 public:
  KeptClasses(const std::filesystem::path& store, const Previous& previous)
      : store_(Store::open(store)), previous_(previous) {}

  /// Boxes that are where they were, to a pixel of the frame, and whose class is another by each of
  /// two readings of their ids: how many have kept it by the one only, and by the other only.
  struct Counts {
    int by_old = 0, by_new = 0;
  };
  /// old_names, new_names: by the class ids of the candidate. Nothing is counted where the row
  /// cannot be read, or is a tile.
  Counts count(const Candidate& candidate, const LedgerEntry& entry,
               const std::vector<std::string>& old_names,
               const std::vector<std::string>& new_names);

 private:
  bool has_name(int class_id, const std::string& name) const;
  const ShardReader& shard(std::int32_t index);

  Store store_;
  const Previous& previous_;
  std::map<std::int32_t, ShardReader> shards_{};
};

}  // namespace letterpress
