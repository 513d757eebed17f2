#include "trainer/parallel/own_device.h"

#include <doctest/doctest.h>

#include <future>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "letterpress/base/error.h"

using namespace letterpress;

namespace {

/// What each rank says when the ranks have these devices; "" when it goes on.
std::vector<std::string> said(const std::vector<std::string>& devices) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const int world_size = static_cast<int>(devices.size());
  std::vector<std::future<std::string>> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    ranks.push_back(std::async(std::launch::async, [&, rank]() -> std::string {
      try {
        require_own_device(*store, rank, world_size, devices[static_cast<std::size_t>(rank)]);
        return "";
      } catch (const Error& error) {
        return std::to_string(static_cast<int>(error.exit())) + " " + error.what();
      }
    }));
  }
  std::vector<std::string> texts;
  for (auto& rank : ranks) texts.push_back(rank.get());
  return texts;
}

}  // namespace

TEST_CASE("ranks on devices of their own go on; two on one are named by all, with the device") {
  CHECK(said({"GPU-a", "GPU-b", "GPU-c"}) == std::vector<std::string>(3));
  const std::string wanted =
      "78 ranks 0 and 2 compute on the same CUDA device, GPU-a; give each rank of a host a device "
      "of its own: the same CUDA_VISIBLE_DEVICES for all of them, or one device in each";
  CHECK(said({"GPU-a", "GPU-b", "GPU-a"}) == std::vector<std::string>(3, wanted));
}
