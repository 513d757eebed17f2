#include "trainer/fit/opening/checkpoint_space.h"

#include "letterpress/base/bytes_text.h"

namespace letterpress {

std::optional<std::string> scarce_space(const Graph& graph, std::int64_t free) {
  constexpr std::int64_t kLast = 4, kBest = 1, kAtOnce = 2;  // in sizes of the weights
  const GraphSize size = measure(graph);
  const auto weights =
      (size.parameters + size.norm_statistics) * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t needed = kAtOnce * (kLast + kBest) * weights;
  if (needed <= free) return std::nullopt;
  return "checkpoints of this model may need " + bytes_text(static_cast<double>(needed)) +
         " on disk while they are written, " + bytes_text(static_cast<double>(free)) +
         " are free where --out is";
}

}  // namespace letterpress
