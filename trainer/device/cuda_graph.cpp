#include "trainer/device/cuda_graph.h"

#include <exception>

#include "letterpress/base/error.h"
#include "trainer/device/memory_shortage.h"

#ifdef LETTERPRESS_CUDA_GRAPHS
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#endif

namespace letterpress {

#ifdef LETTERPRESS_CUDA_GRAPHS
namespace {

Error not_captured(const std::exception& failure) {
  const auto* error = dynamic_cast<const c10::Error*>(&failure);
  return Error({.where = "--cuda-graph",
                .what = std::string("the step's kernels cannot be captured: ") +
                        (error ? error->what_without_backtrace() : failure.what()),
                .fix = "leave the flag out"},
               Exit::configuration);
}

class CudaGraph final : public DeviceGraph {
 public:
  explicit CudaGraph(torch::Device device)
      : device_(device),
        stream_(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device)) {}

  // A replay that still runs uses the graph and its memory.
  ~CudaGraph() override {
    try {
      torch::cuda::synchronize(device_.index());
    } catch (const std::exception&) {
      // The device has failed; whoever reads its results gets the error.
    }
  }

  void warm_up(const Work& work) override { beside(work); }

  void capture(const Work& work) override {
    // A capture takes memory only from the device, not from what the allocator kept from earlier
    // steps.
    torch::cuda::synchronize(device_.index());
    c10::getDeviceAllocator(device_.type())->emptyCache();
    try {
      beside([&] { record(work); });
    } catch (const std::exception& failure) {
      if (memory_shortage(failure)) throw;
      throw not_captured(failure);
    }
  }

  void replay() override { graph_.replay(); }

 private:
  // CUDA does not capture the default stream. The work is warmed up on the very stream that is
  // captured, because cuBLAS keeps memory for each stream. Both streams wait for each other, so
  // tensors of either may be used, freed and allocated again on the other.
  void beside(const Work& work) {
    const c10::Stream outer = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
    c10::Event begun(device_.type()), done(device_.type());
    begun.record(outer);
    begun.block(stream_);
    {
      const c10::StreamGuard guard(stream_);
      work();
    }
    done.record(stream_);
    done.block(outer);
  }

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
  c10::Stream stream_;
  at::cuda::CUDAGraph graph_;
};

}  // namespace
#endif

GraphMaker cuda_graphs(torch::Device device) {
  if (!device.is_cuda()) {
    throw Error({.where = "--cuda-graph",
                 .what = "is for CUDA devices, this is on the CPU",
                 .fix = "leave the flag out, or name a device with --device cuda:N"},
                Exit::configuration);
  }
#ifdef LETTERPRESS_CUDA_GRAPHS
  return [device] { return std::make_unique<CudaGraph>(device); };
#else
  throw Error(
      {.where = "--cuda-graph",
       .what = "this program was built without CUDA's headers",
       .fix = "build it with the CUDA wheel of LibTorch (scripts/setup.sh), or leave the flag out"},
      Exit::configuration);
#endif
}

}  // namespace letterpress
