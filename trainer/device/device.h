#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

namespace letterpress {

/// "auto" (cuda:0 where there is one, else the CPU), "cpu", "cuda" or "cuda:N". Throws Error: usage
/// for another name, configuration when that device is not there.
torch::Device choose_device(const std::string& name);
/// "cpu, 2 threads" or "cuda:0".
std::string describe(torch::Device device);

const std::vector<std::string>& precisions();  ///< fp32, bf16, fp16
/// Throws Error (usage) unless it is one of them.
void validate_precision(const std::string& precision);
/// The type of pictures and of the layers' arithmetic: float32, bfloat16 or float16. Throws Error
/// (configuration) for fp16 on a CPU, where it is slower than float32 or not supported.
torch::Dtype arithmetic_type(const std::string& precision, torch::Device device);

/// Which kernels a CUDA device may take. Neither says anything about a CPU.
struct KernelChoice {
  bool deterministic = false;  ///< only those that add in one order, chosen by rule: the same bits
                               ///< in each run; what has no such kernel throws not_deterministic()
  bool tf32 = false;           ///< products and convolutions of float32 numbers with 10 bits of
                               ///< their mantissa's 23, which tensor cores do several times faster
};
/// Makes cuBLAS's sums independent of the stream: CUBLAS_WORKSPACE_CONFIG, which cuBLAS reads when
/// its first handle is made. For the whole process, best before it has other threads: later they
/// may be reading the environment. Throws Error (configuration) where the variable has a value that
/// does not do it.
void fix_cublas_workspace();
/// For the whole process. deterministic: after fix_cublas_workspace(), which throws.
void choose_kernels(const KernelChoice& choice);

/// For the whole process: CPU threads of the arithmetic (0: all cores) and, on CUDA, the default
/// device and its kernels.
void set_up_arithmetic(torch::Device device, int threads, const KernelChoice& kernels);

/// CPU threads of the arithmetic, 1 or more.
int arithmetic_threads();

/// Seeds this thread's generators (dropout) for step `step`: a function of seed, step and the
/// rank's first row of the step's batch, so that there is no state to keep.
void seed_step(torch::Device device, std::uint64_t seed, std::int64_t step, std::int64_t first = 0);

/// Autocast to bfloat16 or float16 on the device while it lives; none for float32. This thread
/// only; not nested.
class Autocast {
 public:
  Autocast(torch::Device device, torch::Dtype type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  torch::DeviceType device_;
  bool enabled_;
};

}  // namespace letterpress
