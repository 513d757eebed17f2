#include "trainer/device/device.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cstdlib>

#include "letterpress/base/cores.h"
#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"
#include "letterpress/base/parallel.h"
#include "letterpress/base/suggest.h"
#include "trainer/device/openmp_spins.h"
#include "trainer/device/torch_streams.h"

namespace letterpress {
namespace {

int cuda_index(const std::string& name) {
  if (name == "cuda") return 0;
  const std::string digits = name.starts_with("cuda:") ? name.substr(5) : "";
  if (digits.empty() || digits.size() > 3 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    throw Error("--device is '" + name + "', must be auto, cpu, cuda or cuda:N", Exit::usage);
  }
  return std::atoi(digits.c_str());
}

std::string what_there_is(int devices) {
  if (devices == 0) return "there is no CUDA device here";
  std::string names;
  for (int i = 0; i < devices; ++i) names += (i ? ", cuda:" : "cuda:") + std::to_string(i);
  return (devices == 1 ? "the only CUDA device here is " : "the CUDA devices here are ") + names;
}

}  // namespace

torch::Device choose_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto")
    return torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0)
                                       : torch::Device(torch::kCPU);
  const int index = cuda_index(name);
  const auto devices =
      static_cast<int>(torch::cuda::is_available() ? torch::cuda::device_count() : 0);
  if (index >= devices) {
    throw Error({.where = "--device " + name,
                 .what = what_there_is(devices),
                 .fix = "use --device cpu, or look at nvidia-smi"},
                Exit::configuration);
  }
  return {torch::kCUDA, static_cast<torch::DeviceIndex>(index)};
}

std::string describe(torch::Device device) {
  if (device.is_cuda()) return device.str();
  const int threads = arithmetic_threads();
  return "cpu, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

const std::vector<std::string>& precisions() {
  static const std::vector<std::string> names{"fp32", "bf16", "fp16"};
  return names;
}

void validate_precision(const std::string& precision) {
  if (std::ranges::find(precisions(), precision) != precisions().end()) return;
  throw Error("--precision is '" + precision + "', must be " + either_of(precisions()),
              Exit::usage);
}

torch::Dtype arithmetic_type(const std::string& precision, torch::Device device) {
  validate_precision(precision);
  if (precision == "fp32") return torch::kFloat;
  if (precision == "bf16") return torch::kBFloat16;
  if (!device.is_cpu()) return torch::kHalf;
  throw Error({.where = "--precision fp16",
               .what = "is for CUDA devices, this is on the CPU",
               .fix = "use bf16 or fp32"},
              Exit::configuration);
}

// The two values that do it: cuBLAS documentation, "Results reproducibility".
void fix_cublas_workspace() {
  constexpr const char* kName = "CUBLAS_WORKSPACE_CONFIG";
  const char* given = std::getenv(kName);
  if (!given) {
    setenv(kName, ":4096:8", 1);
    return;
  }
  const std::string value = given;
  if (value == ":4096:8" || value == ":16:8") return;
  throw Error({.where = kName,
               .what = "is '" + value + "', must be :4096:8 or :16:8 for --deterministic",
               .fix = "unset it"},
              Exit::configuration);
}

void choose_kernels(const KernelChoice& choice) {
  if (choice.deterministic) fix_cublas_workspace();
  at::Context& context = at::globalContext();
  context.setBenchmarkCuDNN(!choice.deterministic);
  context.setDeterministicCuDNN(choice.deterministic);
  context.setDeterministicAlgorithms(choice.deterministic, /*warn_only=*/false);
  context.setAllowTF32CuDNN(choice.tf32);
  context.setAllowTF32CuBLAS(choice.tf32);
}

// Threads that there may be at once for each that is asked for: OpenMP's team, LibTorch's pool of
// kernels, and those that read or draw.
constexpr int kTeams = 3;

void set_up_arithmetic(torch::Device device, int threads, const KernelChoice& kernels) {
  const int n = threads > 0 ? threads : available_cores();
  require_threads(kTeams * n);
  at::set_num_threads(n);
  if (!device.is_cuda()) return limit_openmp_spins();
  // What names no device, above all pinned memory, would otherwise allocate on the first one.
  make_current(device);
  choose_kernels(kernels);
}

int arithmetic_threads() { return at::get_num_threads(); }

void seed_step(torch::Device device, std::uint64_t seed, std::int64_t step, std::int64_t first) {
  Hasher hasher;
  hasher.add_value(seed).add_value(step);
  if (first > 0) hasher.add_value(first);
  const std::uint64_t key = hasher.digest64();
  const auto set = [key](at::Generator generator) {
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(key);
  };
  set(at::globalContext().defaultGenerator(torch::kCPU));
  if (device.is_cuda()) set(at::globalContext().defaultGenerator(device));
}

Autocast::Autocast(torch::Device device, torch::Dtype type)
    : device_(device.type()), enabled_(type != torch::kFloat) {
  if (!enabled_) return;
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, type);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!enabled_) return;
  // The cached casts belong to this step's weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, false);
}

}  // namespace letterpress
