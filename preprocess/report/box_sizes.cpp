#include "preprocess/report/box_sizes.h"

#include <algorithm>
#include <limits>

namespace letterpress {

std::vector<std::array<float, 2>> box_sizes(const SnapshotReader& reader, const std::string& split,
                                            RowKind rows) {
  auto sizes =
      box_sizes(reader, reader.pictures(split), std::numeric_limits<std::size_t>::max(), rows);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace letterpress
