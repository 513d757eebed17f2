#ifdef LETTERPRESS_CUDA
#include "trainer/device/cuda_graph.h"

#include <c10/cuda/CUDAFunctions.h>
#include <doctest/doctest.h>
#include <torch/types.h>

#include <algorithm>

#include "tests/trainer/fit/run_bench.h"
#include "tests/trainer/fit/step/whole_step.h"
#include "tests/trainer/waiting_operators.h"

using namespace letterpress;

namespace {

/// As --deterministic sets the process up, for as long as it lives.
struct Deterministic {
  explicit Deterministic(torch::Device device) {
    set_up_arithmetic(device, 0, {.deterministic = true});
  }
  ~Deterministic() { choose_kernels({}); }
};

/// What eight steps come to, each with random numbers of its own (minigooglenet drops out): totals
/// of each, then all weights.
std::vector<torch::Tensor> eight_steps(WholeStep& step, torch::Device device) {
  std::vector<torch::Tensor> values;
  for (int i = 0; i < 8; ++i) {
    seed_step(device, 1, i);
    step();
    values.push_back(step.totals().clone());
  }
  for (const auto& [name, tensor] : step.model().tensors(true)) values.push_back(tensor);
  return values;
}

/// While it lives, whatever makes the host wait for a stream throws.
struct NoSynchronisation {
  NoSynchronisation() {
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
  }
  ~NoSynchronisation() {
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  }
};

}  // namespace

TEST_CASE(
    "with --deterministic, steps that replay a CUDA graph are those without one, bit for bit, of "
    "each model in each precision") {
  const torch::Device gpu(torch::kCUDA, 0);
  const Deterministic deterministic(gpu);
  for (const std::string name : {"minigooglenet", "yolov3", "yolov3-tiny", "yolov8n", "yolo11n"}) {
    for (const std::string precision : {"fp32", "bf16", "fp16"}) {
      CAPTURE(name);
      CAPTURE(precision);
      WholeStep plain(name, precision, gpu), replayed(name, precision, gpu, "on");
      const auto wanted = eight_steps(plain, gpu), got = eight_steps(replayed, gpu);
      CHECK_FALSE(plain.model().step().replays());
      CHECK(replayed.model().step().replays());
      REQUIRE(wanted.size() == got.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(torch::equal(wanted[i], got[i]));
      }
    }
  }
}

TEST_CASE(
    "without --deterministic a replayed step loses what a plain one loses, and later ones differ "
    "no more than plain ones do among themselves") {
  const torch::Device gpu(torch::kCUDA, 0);
  set_up_arithmetic(gpu, 0, {});
  constexpr int kPlain = 4, kSums = 8;
  for (const std::string name : {"minigooglenet", "yolov3-tiny", "yolov8n", "yolo11n"}) {
    CAPTURE(name);
    const auto totals_of = [&](const std::string& cuda_graph) {
      WholeStep step(name, "fp32", gpu, cuda_graph);
      std::vector<double> sums;
      for (const torch::Tensor& totals : eight_steps(step, gpu)) {
        if (sums.size() < kSums) sums.push_back(totals.sum().item<double>());
      }
      return sums;
    };
    std::vector<std::vector<double>> plain;
    for (int run = 0; run < kPlain; ++run) plain.push_back(totals_of("off"));
    const std::vector<double> replayed = totals_of("on");
    for (std::size_t step = 0; step < kSums; ++step) {
      CAPTURE(step);
      double low = plain[0][step], high = low;
      for (const auto& run : plain)
        low = std::min(low, run[step]), high = std::max(high, run[step]);
      // Step 4 is the first replay: no difference of the order of sums has grown yet.
      const double spread = step <= CapturedWork::kWarmUps ? 0.01 * high : 3 * (high - low);
      CHECK(replayed[step] > low - spread - 0.01 * high);
      CHECK(replayed[step] < high + spread + 0.01 * high);
    }
  }
}

TEST_CASE("a training on a GPU replays a CUDA graph unless it is told not to") {
  RunBench bench;
  const auto options = [&](const std::string& run, const std::string& cuda_graph) {
    FitOptions made = bench.options(run, 4);
    made.device = "cuda:0";
    made.cuda_graph = cuda_graph;
    return made;
  };
  Trainer(options("off", "off")).run();
  CHECK_FALSE(bench.noted("CUDA graph"));
  FitOptions sides = options("sides", "auto");
  sides.multi_scale = "32-96";
  Trainer(sides).run();
  CHECK_FALSE(bench.noted("CUDA graph"));
  Trainer(options("auto", "auto")).run();
  CHECK(bench.noted("steps replay a CUDA graph from step 4 on"));
}

TEST_CASE(
    "a training in parts that thaws, augments on the device and replays a CUDA graph is the one "
    "without, bit for bit") {
  RunBench bench;
  const auto options = [&](const std::string& run, bool cuda_graph) {
    FitOptions made = bench.options(run, 6);
    made.accumulate = 2;
    made.on_device = "flip,hsv,mosaic,mixup";
    made.freeze = "backbone";
    made.freeze_epochs = 3;
    made.device = "cuda:0";
    made.deterministic = true;
    made.cuda_graph = cuda_graph ? "on" : "off";
    return made;
  };
  Trainer(options("plain", false)).run();
  CHECK_FALSE(bench.noted("CUDA graph"));
  CHECK(Trainer(options("replayed", true)).run().done.step == 12);
  // Two steps each as they are, of the frozen stage and of the one that begins with step 7.
  CHECK(bench.noted("steps replay a CUDA graph from step 3 on"));
  CHECK(bench.noted("steps replay a CUDA graph from step 9 on"));
  check_same_tensors(bench.dir / "plain/last.safetensors", bench.dir / "replayed/last.safetensors");
  check_same_results(bench.dir / "plain", bench.dir / "replayed");
}

TEST_CASE(
    "five steps of each model on a GPU, replays or not, make the host wait for no stream and copy "
    "nothing to or from it") {
  const torch::Device gpu(torch::kCUDA, 0);
  for (const std::string name : {"minigooglenet", "yolov3", "yolov3-tiny", "yolov8n", "yolo11n"}) {
    for (const auto& [precision, cuda_graph] :
         {std::pair{"fp32", false}, std::pair{"bf16", false}, std::pair{"fp16", false},
          std::pair{"fp32", true}, std::pair{"fp16", true}}) {
      CAPTURE(name);
      CAPTURE(precision);
      CAPTURE(cuda_graph);
      WholeStep step(name, precision, gpu, cuda_graph ? "on" : "off");
      for (int warm = 0; warm < 4; ++warm) step();
      CHECK(step.model().step().replays() == cuda_graph);
      const NoSynchronisation guard;
      CHECK_THROWS(step.totals().sum().item());  // it sees one
      const auto found = waiting_operators([&] {
        for (int i = 0; i < 5; ++i) CHECK_NOTHROW(step());
      });
      CHECK(found == std::set<std::string>{});
    }
  }
}

// The last: a failed capture leaves PyTorch's generator and allocator as they were in it.
TEST_CASE("what a device cannot capture is told with the device's reason and what to do") {
  const torch::Device gpu(torch::kCUDA, 0);
  const auto graph = cuda_graphs(gpu)();
  const torch::Tensor one = torch::ones({}, gpu);
  check_error(Exit::configuration, "--cuda-graph: the step's kernels cannot be captured: ", [&] {
    graph->capture([&] { one.item(); });
  });
}
#endif
