#pragma once
#include <torch/types.h>

#include <array>
#include <memory>

#include "trainer/batch.h"
#include "trainer/device/copies_ahead.h"
#include "trainer/loader/batch_loader.h"

namespace letterpress {

/// What the loader has to give for a device: to CUDA page-locked bytes, whose copies are
/// asynchronous; to a CPU numbers of `type`, float32 or bfloat16, which its readers make in the
/// pass that reads them.
void load_for(torch::Device device, torch::Dtype type, LoaderOptions& options);

/// Batches of a loader on the device, in buffers that live as long as it. Bytes cross to the
/// device, where they become floats; numbers that the loader made are used where they lie. On CUDA
/// the copy of the next batch runs on a stream of its own beside the step. One thread. The host
/// waits for a copy, never for a step.
class DeviceFeed {
 public:
  /// `loader` outlives the feed; its batches have LoaderOptions::batch rows or fewer. type: float32
  /// or bfloat16, of the images, on CUDA also float16. Throws std::logic_error when the loader
  /// makes numbers of another type, or for a device other than a CPU.
  DeviceFeed(BatchLoader& loader, torch::Device device, torch::Dtype type);
  /// Over these streams of the device, which may be a CPU in tests; null: batches stay in the
  /// host's memory.
  DeviceFeed(BatchLoader& loader, torch::Device device, torch::Dtype type,
             std::unique_ptr<DeviceStreams> streams);
  DeviceFeed(const DeviceFeed&) = delete;
  DeviceFeed& operator=(const DeviceFeed&) = delete;

  /// The next batch, or nullptr after the last. Valid until the next call. Throws what the loader
  /// throws.
  const Batch* next();
  /// Starts the copy of the batch after it: call it when all kernels of the step are queued.
  /// Nothing to do on a CPU.
  void prefetch();
  /// Seconds so far in which the device had nothing to do because data were missing. On a CPU all
  /// waiting of the loader is such; on CUDA the host may wait while the device still computes, so
  /// events on its stream tell when it ran dry. Of batches whose step has begun; on CUDA it waits
  /// for the beginning of the last one.
  double starved_s();
  /// Where the rows of the last batch of next() are; shard -1: padding.
  const std::vector<RowPlace>& places() const noexcept { return places_; }

 private:
  /// Boxes, flags, label and weight travel in one piece: label int64 [B], boxes, weight, flags. A
  /// batch of fewer rows uses the first of it.
  struct Slot {
    torch::Tensor host_labels, labels, images;  ///< uint8; labels and images on the device
    std::vector<std::int64_t> samples;
    std::vector<RowPlace> places;
  };
  void prepare_device();
  CopiesAhead::Fetched fetch(std::size_t slot);
  bool next_on_cpu();
  void use(const Slot& slot);
  void keep(const HostBatch& host, Slot& slot) const;
  void pack(const HostBatch& host, torch::Tensor& labels) const;
  void unpack(const torch::Tensor& labels, std::int64_t rows);

  BatchLoader& loader_;
  torch::Device device_;
  BatchShape shape_;
  torch::Tensor images_;  ///< as Batch::images, of a full batch
  std::array<Slot, CopiesAhead::kSlots> slots_;
  std::size_t on_cpu_ = 0;                  ///< a CPU's slot of the next batch
  std::unique_ptr<DeviceStreams> streams_;  ///< null: of a CPU, as copies_
  std::unique_ptr<CopiesAhead> copies_;
  std::vector<RowPlace> places_;
  Batch batch_;
};

}  // namespace letterpress
