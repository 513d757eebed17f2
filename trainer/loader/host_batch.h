#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// A batch in host memory, row after row. The loader owns it; valid until the next call of next()
/// (finish an asynchronous copy from it first). B is what the sequence asked for, at most
/// LoaderOptions::batch; M is the snapshot's largest max_boxes.
struct HostBatch {
  std::uint8_t* images = nullptr;   ///< [B, S, S, 3] of LoaderOptions::pixels; page-aligned, pinned
                                    ///< when the allocator pins
  std::vector<float> boxes;         ///< [B, M, 5], as in the shard; unused rows 0 0 0 0 -1
  std::vector<std::uint8_t> flags;  ///< [B, M]
  std::vector<std::int64_t> label;  ///< [B]
  std::vector<float> weight;  ///< [B]: 0 for padding (grey pixels, no boxes, label -1), else 1
  std::vector<std::int64_t> samples;  ///< [B]: index into the picture list, -1 for padding
  std::vector<RowPlace> rows;         ///< [B]
};

/// A row of a batch. sample: index into the picture list; -1: padding.
struct WantedRow {
  std::int64_t sample;
  RowPlace row;
};
/// The rows that make batch b; none end the sequence.
using BatchSequence = std::function<std::vector<WantedRow>(std::int64_t b)>;

}  // namespace letterpress
