#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <iostream>

#include "tests/trainer/fit/run_bench.h"

using namespace letterpress;

TEST_CASE(
    "on a GPU with --deterministic 8 steps are 3, a SIGTERM and 5 resumed ones, bit for bit, the "
    "loss scale included") {
  for (const std::string precision : {"fp32", "fp16"}) {
    CAPTURE(precision);
    RunBench bench;
    const auto options = [&](const std::string& run) {
      FitOptions made = bench.options(run, 4);
      made.device = "cuda:0";
      made.precision = precision;
      made.deterministic = true;
      return made;
    };
    Trainer(options("straight")).run();
    FitOptions stopped = options("stopped");
    CHECK(train_until(stopped, 3).done.step == 3);
    stopped.resume = true;
    CHECK(Trainer(stopped).run().done.step == 8);
    check_same_tensors(bench.dir / "straight/last.safetensors", stopped.out / "last.safetensors");
    check_same_results(bench.dir / "straight", stopped.out);
    CHECK(read_checkpoint(stopped.out / "last.safetensors")
              .tensors.contains("optimiser.scaler.good_steps") == (precision == "fp16"));
  }
}

// A program of its own: cuBLAS reads the variable when the process makes its first handle, so only
// a process that has made none shows whether --deterministic sets it in time.
int main(int argc, char** argv) {
  if (!torch::cuda::is_available()) {
    std::cout << "skipped: no CUDA device on this machine\n";
    return 77;
  }
  unsetenv("CUBLAS_WORKSPACE_CONFIG");
  return doctest::Context(argc, argv).run();
}
