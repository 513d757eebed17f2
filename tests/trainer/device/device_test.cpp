#include "trainer/device/device.h"

#include <doctest/doctest.h>
#include <torch/cuda.h>

#include "letterpress/base/error.h"
#include "tests/scoped_variable.h"
#include "trainer/device/normalise.h"
#include "trainer/device/process_setup.h"

using namespace letterpress;

TEST_CASE("missing and unknown devices are refused") {
  CHECK(choose_device("cpu") == torch::Device(torch::kCPU));
  CHECK_THROWS_WITH_AS(choose_device("gpu"), "--device is 'gpu', must be auto, cpu, cuda or cuda:N",
                       Error);
  CHECK_THROWS_WITH_AS(choose_device("cuda:x"),
                       doctest::Contains("must be auto, cpu, cuda or cuda:N"), Error);
  const bool none = torch::cuda::device_count() == 0;
  CHECK_THROWS_WITH_AS(choose_device("cuda:99"),
                       doctest::Contains(none ? "--device cuda:99: there is no CUDA device here; "
                                                "use --device cpu, or look at nvidia-smi"
                                              : "--device cuda:99: the"),
                       Error);
}

TEST_CASE("random numbers are a function of seed and step") {
  const auto draw = [](std::uint64_t seed, std::int64_t step) {
    seed_step(torch::kCPU, seed, step);
    return torch::rand({4});
  };
  CHECK(torch::equal(draw(1, 2), draw(1, 2)));
  CHECK_FALSE(torch::equal(draw(1, 2), draw(1, 3)));
  CHECK_FALSE(torch::equal(draw(1, 2), draw(2, 2)));
}

TEST_CASE("auto takes a GPU where there is one, else the CPU, and tells its threads") {
  CHECK(choose_device("auto").is_cuda() == torch::cuda::is_available());
  set_up_arithmetic(torch::kCPU, 1, {});
  CHECK(describe(torch::kCPU) == "cpu, 1 thread");
  set_up_arithmetic(torch::kCPU, 2, {});
  CHECK(describe(torch::kCPU) == "cpu, 2 threads");
  CHECK(describe(torch::Device(torch::kCUDA, 1)) == "cuda:1");
}

TEST_CASE(
    "float32 stays float32 unless TF32 is asked for; reproducible kernels are, or it throws") {
  at::Context& context = at::globalContext();
  for (const bool chosen : {true, false}) {
    choose_kernels({.deterministic = chosen, .tf32 = chosen});
    CHECK(context.allowTF32CuDNN() == chosen);
    CHECK(context.allowTF32CuBLAS() == chosen);
    CHECK(context.deterministicCuDNN() == chosen);
    CHECK(context.benchmarkCuDNN() != chosen);
    CHECK(context.deterministicAlgorithms() == chosen);
    CHECK_FALSE(context.deterministicAlgorithmsWarnOnly());
  }
}

TEST_CASE("reproducible kernels want one of cuBLAS's reproducible workspaces, and take one") {
  const auto after = [](const char* value) {
    const ScopedVariable variable("CUBLAS_WORKSPACE_CONFIG", value);
    choose_kernels({.deterministic = true});
    choose_kernels({});
    return std::string(std::getenv("CUBLAS_WORKSPACE_CONFIG"));
  };
  CHECK(after(nullptr) == ":4096:8");
  CHECK(after(":4096:8") == ":4096:8");
  CHECK(after(":16:8") == ":16:8");
  for (const std::string value : {":0:0", ":4096:2:16:8", ""}) {
    CAPTURE(value);
    try {
      after(value.c_str());
      FAIL("was accepted");
    } catch (const Error& error) {
      CHECK((error.exit() == Exit::configuration));
      CHECK(std::string(error.what()) ==
            "CUBLAS_WORKSPACE_CONFIG: is '" + value +
                "', must be :4096:8 or :16:8 for --deterministic; unset it");
    }
    CHECK_FALSE(at::globalContext().deterministicAlgorithms());
  }
  const ScopedVariable ignored("CUBLAS_WORKSPACE_CONFIG", ":0:0");
  CHECK_NOTHROW(choose_kernels({.tf32 = true}));
  choose_kernels({});
}

TEST_CASE("a process is set up to start NCCL's kernels in order, unless the environment says it") {
  const auto after = [](const char* value) {
    const ScopedVariable variable("NCCL_LAUNCH_ORDER_IMPLICIT", value);
    set_up_process();
    return std::string(std::getenv("NCCL_LAUNCH_ORDER_IMPLICIT"));
  };
  CHECK(after(nullptr) == "1");
  CHECK(after("0") == "0");
}

TEST_CASE("a precision is fp32, bf16 or, on CUDA, fp16") {
  CHECK_NOTHROW(validate_precision("fp16"));
  CHECK_THROWS_WITH_AS(validate_precision("fp8"),
                       "--precision is 'fp8', must be fp32, bf16 or fp16", Error);
  const torch::Device gpu(torch::kCUDA, 0);
  CHECK((arithmetic_type("fp32", torch::kCPU) == torch::kFloat));
  CHECK((arithmetic_type("bf16", torch::kCPU) == torch::kBFloat16));
  CHECK((arithmetic_type("bf16", gpu) == torch::kBFloat16));
  CHECK((arithmetic_type("fp16", gpu) == torch::kHalf));
  try {
    arithmetic_type("fp16", torch::kCPU);
    FAIL("was accepted");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::configuration);
    CHECK(std::string(error.what()) ==
          "--precision fp16: is for CUDA devices, this is on the CPU; use bf16 or fp32");
  }
}

TEST_CASE("autocast lasts as long as its object, and only where it is enabled") {
  const torch::Tensor a = torch::ones({4, 4}), b = torch::ones({4, 4});
  {
    const Autocast autocast(torch::kCPU, torch::kBFloat16);
    CHECK((torch::mm(a, b).scalar_type() == torch::kBFloat16));
  }
  CHECK((torch::mm(a, b).scalar_type() == torch::kFloat));
  const Autocast autocast(torch::kCPU, torch::kFloat);
  CHECK((torch::mm(a, b).scalar_type() == torch::kFloat));
}

TEST_CASE("bytes become 0..1 in channels_last, in float32 and bfloat16") {
  const torch::Tensor packed =
      torch::tensor({0, 51, 255, 102, 1, 254}, torch::kByte).view({1, 1, 2, 3});
  torch::Tensor images = torch::empty({1, 3, 1, 2}, torch::TensorOptions(torch::kFloat),
                                      torch::MemoryFormat::ChannelsLast);
  normalise(packed, images);
  const torch::Tensor wanted =
      torch::tensor({0.0, 0.4, 0.2, 1.0 / 255, 1.0, 254.0 / 255}).view({1, 3, 1, 2});
  CHECK(torch::allclose(images, wanted.to(torch::kFloat), 0, 1e-7));
  CHECK(images.is_contiguous(torch::MemoryFormat::ChannelsLast));
  torch::Tensor half = torch::empty({1, 3, 1, 2}, torch::TensorOptions(torch::kBFloat16),
                                    torch::MemoryFormat::ChannelsLast);
  normalise(packed, half);
  CHECK(torch::allclose(half.to(torch::kFloat), wanted.to(torch::kFloat), 1.0 / 256,
                        0));  // rounded once
}
