#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "trainer/device/device_streams.h"

namespace letterpress {

/// The kernels of some work, captured once and then launched as one, so that the host does not
/// launch each by itself: for devices that compute faster than the host launches. A CUDA graph
/// (CUDA C++ Programming Guide, "CUDA Graphs").
///
/// A replay repeats what the capture saw: the same kernels at the same addresses. So the work
///   - reads its input from, and writes its results to, tensors that stay where they are; memory
///     that it allocates is kept for the replays,
///   - waits for no device and copies nothing to or from the host; its shapes and branches depend
///     on nothing that differs between replays,
///   - may draw from the device's default generator: a replay draws what the work itself would
///     draw then. Numbers that it reads on the host stay those of the capture.
/// One thread.
class DeviceGraph {
 public:
  using Work = std::function<void()>;
  virtual ~DeviceGraph() = default;

  /// Does the work without capturing it: at their first calls libraries allocate what they may not
  /// allocate during a capture. Call it at least once before capture().
  virtual void warm_up(const Work& work) = 0;
  /// Captures the work without doing it. Once. Waits for the device. Throws Error (configuration)
  /// with the device's reason when the work cannot be captured, what the work throws when memory
  /// runs out; the object cannot be used then.
  virtual void capture(const Work& work) = 0;
  /// Launches what was captured. The host does not wait.
  virtual void replay() = 0;
  /// Of the graph's device; live as long as the graph.
  virtual DeviceStreams& streams() = 0;
};

/// Makes graphs for one device, each for one work; a graph's destructor frees its memory.
using GraphMaker = std::function<std::unique_ptr<DeviceGraph>()>;

/// Work that is done again and again: a few times as it is, then as replays of one capture. One
/// thread.
class CapturedWork {
 public:
  /// How often the work is done as it is before it is captured: libraries choose kernels and take
  /// memory in their first calls, and gradients are made in the first backward, all others add to
  /// them.
  static constexpr int kWarmUps = 3;

  explicit CapturedWork(std::unique_ptr<DeviceGraph> graph) : graph_(std::move(graph)) {}

  /// Does `work` once, which is the same each time. may_capture: whether all that it reads and
  /// writes stays in its place. Returns whether it was a replay, whose results the next one writes
  /// over. Throws as the work and DeviceGraph do.
  bool run(const DeviceGraph::Work& work, bool may_capture);
  bool captured() const noexcept { return captured_; }
  DeviceStreams& streams() { return graph_->streams(); }

 private:
  std::unique_ptr<DeviceGraph> graph_;
  int warm_ups_ = 0;
  bool captured_ = false;
};

}  // namespace letterpress
