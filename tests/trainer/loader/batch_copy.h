#pragma once
#include <cstdint>
#include <vector>

#include "trainer/loader/batch_loader.h"

namespace letterpress {

/// A batch that outlives the loader's next().
struct Copy {
  std::vector<std::uint8_t> images;
  HostBatch rest;
  bool operator==(const Copy& other) const {
    return images == other.images && rest.boxes == other.rest.boxes &&
           rest.flags == other.rest.flags && rest.label == other.rest.label &&
           rest.weight == other.rest.weight && rest.samples == other.rest.samples &&
           rest.rows == other.rest.rows;
  }
};

inline Copy copy(const HostBatch& batch, std::int64_t row_bytes) {
  return {
      {batch.images, batch.images + static_cast<std::int64_t>(batch.samples.size()) * row_bytes},
      batch};
}

}  // namespace letterpress
