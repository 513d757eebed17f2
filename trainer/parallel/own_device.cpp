#include "trainer/parallel/own_device.h"

#include <map>

#include "letterpress/base/error.h"

namespace letterpress {

void require_own_device(c10d::Store& store, int rank, int world_size, const std::string& device) {
  const auto key = [](int one) { return "device/" + std::to_string(one); };
  store.set(key(rank), std::vector<std::uint8_t>(device.begin(), device.end()));
  std::map<std::string, int> rank_of;
  for (int one = 0; one < world_size; ++one) {
    const std::vector<std::uint8_t> bytes = store.get(key(one));
    const auto [first, is_new] = rank_of.emplace(std::string(bytes.begin(), bytes.end()), one);
    if (is_new) continue;
    throw Error({.where = "rank " + std::to_string(one) + " of " + std::to_string(world_size),
                 .what = "computes on the same CUDA device as rank " +
                         std::to_string(first->second) + ", " + first->first,
                 .fix = "start no more ranks on a host than it has devices, with one "
                        "CUDA_VISIBLE_DEVICES for all of them or a device of its own in each"},
                Exit::configuration);
  }
}

}  // namespace letterpress
