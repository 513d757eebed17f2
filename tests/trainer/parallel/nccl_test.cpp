#define DOCTEST_CONFIG_IMPLEMENT
#include <c10/core/DeviceGuard.h>
#include <doctest/doctest.h>
#include <torch/cuda.h>

#include <cstdio>
#include <iostream>

#include "tests/trainer/parallel/ranks_in_threads.h"
#include "trainer/device/process_setup.h"
#include "trainer/parallel/gradient_all_reduce.h"
#include "trainer/parallel/nccl_backend.h"

using namespace letterpress;

namespace {

// One rank per device, two at most.
void on_devices(const std::function<void(RankGroup&, torch::Device)>& work) {
  const int ranks = std::min(2, static_cast<int>(torch::cuda::device_count()));
  std::vector<std::thread> threads;
  for (const RankAssignment& assignment : local_assignments(ranks)) {
    threads.emplace_back([&work, assignment] {
      const torch::Device device(torch::kCUDA, static_cast<torch::DeviceIndex>(assignment.rank));
      const c10::DeviceGuard guard(device);
      RankGroup group(assignment, device, 60);
      work(group, device);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("tensors on CUDA devices are all-reduced by NCCL, small messages beside them") {
  on_devices([](RankGroup& group, torch::Device device) {
    torch::Tensor tensor =
        torch::full({1000}, static_cast<float>(group.rank() + 1), torch::TensorOptions(device));
    group.start_all_reduce(tensor)();
    const float wanted = group.world_size() == 2 ? 3 : 1;
    CHECK(tensor.eq(wanted).all().item<bool>());
    group.start_all_reduce_within(tensor)();
    CHECK(tensor.eq(wanted * static_cast<float>(group.world_size())).all().item<bool>());
    CHECK(group.all_reduce_max(group.rank()) == group.world_size() - 1);
  });
}

TEST_CASE("a device is called as nvidia-smi -L lists it") {
  std::string listed;
  FILE* const list = popen("nvidia-smi -L", "r");
  REQUIRE(list != nullptr);
  for (int c = 0; (c = std::fgetc(list)) != EOF;) listed += static_cast<char>(c);
  pclose(list);
  const std::string id = cuda_device_id(torch::Device(torch::kCUDA, 0));
  CHECK_MESSAGE(listed.find("(UUID: " + id + ")") != std::string::npos, id, " in ", listed);
}

TEST_CASE("gradients on CUDA devices are all-reduced while backward goes on") {
  on_devices([](RankGroup& group, torch::Device device) {
    const torch::TensorOptions options(device);
    const torch::Tensor weight = torch::ones({4, 8}, options).set_requires_grad(true);
    const torch::Tensor bias = torch::zeros({4}, options).set_requires_grad(true);
    GradientAllReduce sum(group, {{"weight", weight}, {"bias", bias}});
    sum.begin();
    const auto input = torch::full({2, 8}, static_cast<float>(group.rank() + 1), options);
    at::linear(input, weight, bias).sum().backward();
    sum.finish();
    CHECK(weight.grad().eq(group.world_size() == 2 ? 6 : 2).all().item<bool>());
  });
}

int main(int argc, char** argv) {
  if (!torch::cuda::is_available()) {
    std::cout << "skipped: no CUDA device on this machine\n";
    return 77;
  }
  setenv(kLaunchOrder, "1", 0);  // as set_up_process() does
  return doctest::Context(argc, argv).run();
}
