#pragma once
#include <cstdint>
#include <vector>

#include "trainer/loader/batch_loader.h"

namespace letterpress {

/// All rows of SampleStore(21, 2), in an order that jumps.
inline std::vector<RowPlace> jumping_rows() {
  std::vector<RowPlace> places;
  for (std::int64_t i = 0; i < 63; ++i) {
    const std::int64_t at = i * 44 % 63;
    places.push_back(at < 21 ? RowPlace{0, at} : RowPlace{1, at - 21});
  }
  return places;
}

/// Batches of these rows, in their order; the last may be smaller.
inline BatchSequence rows_in_turn(std::vector<RowPlace> places, std::size_t batch) {
  return [=](std::int64_t b) {
    std::vector<WantedRow> wants;
    for (std::size_t i = static_cast<std::size_t>(b) * batch;
         i < places.size() && wants.size() < batch; ++i)
      wants.push_back({0, places[i]});
    return wants;
  };
}

}  // namespace letterpress
