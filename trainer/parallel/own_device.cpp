#include "trainer/parallel/own_device.h"

#include <map>

#include "letterpress/base/error.h"

namespace letterpress {

void require_own_device(c10d::Store& store, int rank, int world_size, const std::string& device) {
  const auto key = [](int one) { return "device/" + std::to_string(one); };
  store.set(key(rank), std::vector<std::uint8_t>(device.begin(), device.end()));
  std::vector<std::string> devices;
  for (int one = 0; one < world_size; ++one) {
    const std::vector<std::uint8_t> bytes = store.get(key(one));
    devices.emplace_back(bytes.begin(), bytes.end());
  }
  if (store.add("devices read", 1) == world_size)
    store.set("all devices read", std::vector<std::uint8_t>{1});
  if (rank == 0) store.wait({"all devices read"});
  std::map<std::string, int> rank_of;
  for (int one = 0; one < world_size; ++one) {
    const auto [first, is_new] = rank_of.emplace(devices[static_cast<std::size_t>(one)], one);
    if (is_new) continue;
    throw Error({.what = "ranks " + std::to_string(first->second) + " and " + std::to_string(one) +
                         " compute on the same CUDA device, " + first->first,
                 .fix = "give each rank of a host a device of its own: the same "
                        "CUDA_VISIBLE_DEVICES for all of them, or one device in each"},
                Exit::configuration);
  }
}

}  // namespace letterpress
