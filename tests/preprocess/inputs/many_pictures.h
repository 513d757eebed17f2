// Pictures of ten days, without files, for tests of who goes to val.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/inputs/splits.h"

namespace letterpress {

inline Candidate candidate(const std::string& name, const std::string& split = "train") {
  Candidate result;
  result.item.name = name;
  result.item.path = "/data/" + name;
  result.split = split;
  result.picture_hash = hash128(name);
  return result;
}

inline std::vector<std::string> splits_of(const Inputs& inputs) {
  std::vector<std::string> splits;
  for (const Candidate& c : inputs.candidates) splits.push_back(c.split);
  return splits;
}

inline Inputs many(int n) {
  Inputs inputs;
  inputs.label_folders = {"/data"};
  for (int i = 0; i < n; ++i)
    inputs.candidates.push_back(
        candidate("day" + std::to_string(i / 10) + "/" + std::to_string(i) + ".png"));
  return inputs;
}

// What the next build knows of these.
inline EarlierSplits splits_after(const Inputs& inputs, bool same_share) {
  EarlierSplits earlier{.same_share = same_share};
  for (const Candidate& c : inputs.candidates) {
    earlier.bytes_in_val.emplace(c.picture_hash, c.split == "val");
    earlier.path_in_val.emplace(c.item.path, c.split == "val");
  }
  return earlier;
}

inline std::int64_t val_count(const Inputs& inputs) {
  std::int64_t n = 0;
  for (const Candidate& c : inputs.candidates) n += c.split == "val" ? 1 : 0;
  return n;
}

}  // namespace letterpress
