#include "trainer/device/cuda_graph.h"

#include <exception>

#include "letterpress/base/error.h"
#include "trainer/device/memory_shortage.h"

#ifdef LETTERPRESS_CUDA_GRAPHS
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/CachingDeviceAllocator.h>

#include "trainer/device/torch_streams.h"
#endif

namespace letterpress {

#ifdef LETTERPRESS_CUDA_GRAPHS
namespace {

Error not_captured(const std::exception& failure) {
  const auto* error = dynamic_cast<const c10::Error*>(&failure);
  return Error({.where = "--cuda-graph",
                .what = std::string("the step's kernels cannot be captured: ") +
                        (error ? error->what_without_backtrace() : failure.what()),
                .fix = "add --cuda-graph off"},
               Exit::configuration);
}

class CudaGraph final : public DeviceGraph {
 public:
  explicit CudaGraph(torch::Device device) : device_(device), streams_(torch_streams(device)) {}

  // A replay that still runs uses the graph and its memory.
  ~CudaGraph() override {
    try {
      streams_->synchronise();
    } catch (const std::exception&) {
      // The device has failed; whoever reads its results gets the error.
    }
  }

  // CUDA does not capture the default stream. The work is warmed up on the very stream that is
  // captured, because cuBLAS keeps memory for each stream.
  void warm_up(const Work& work) override { call_beside(*streams_, work); }

  void capture(const Work& work) override {
    // A capture takes memory only from the device, not from what the allocator kept from earlier
    // steps.
    streams_->synchronise();
    c10::getDeviceAllocator(device_.type())->emptyCache();
    try {
      call_beside(*streams_, [&] { record(work); });
    } catch (const std::exception& failure) {
      if (memory_shortage(failure)) throw;
      throw not_captured(failure);
    }
  }

  void replay() override { graph_.replay(); }
  DeviceStreams& streams() override { return *streams_; }

 private:
  // The default generator is registered by capture_begin() itself.
  void record(const Work& work) {
    graph_.capture_begin();
    try {
      work();
    } catch (...) {
      try {
        graph_.capture_end();  // else everything that uses the stream from here on fails too
      } catch (const std::exception&) {
        // The first failure is the reason.
      }
      throw;
    }
    graph_.capture_end();
  }

  torch::Device device_;
  std::unique_ptr<DeviceStreams> streams_;
  at::cuda::CUDAGraph graph_;
};

}  // namespace
#endif

const std::vector<std::string>& graph_choices() {
  static const std::vector<std::string> choices{"auto", "on", "off"};
  return choices;
}

bool graph_chosen(const std::string& choice, torch::Device device) {
#ifdef LETTERPRESS_CUDA_GRAPHS
  if (choice == "auto") return device.is_cuda();
#endif
  return choice == "on";
}

GraphMaker cuda_graphs(torch::Device device) {
  if (!device.is_cuda()) {
    throw Error({.where = "--cuda-graph on",
                 .what = "is for CUDA devices, this is on the CPU",
                 .fix = "leave the flag out, or name a device with --device cuda:N"},
                Exit::configuration);
  }
#ifdef LETTERPRESS_CUDA_GRAPHS
  return [device] { return std::make_unique<CudaGraph>(device); };
#else
  throw Error(
      {.where = "--cuda-graph on",
       .what = "this program was built without CUDA's headers",
       .fix = "build it with the CUDA wheel of LibTorch (scripts/setup.sh), or leave the flag out"},
      Exit::configuration);
#endif
}

}  // namespace letterpress
