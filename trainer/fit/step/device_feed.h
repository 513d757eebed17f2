#pragma once
#include <c10/core/Event.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <optional>

#include "trainer/batch.h"
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
    std::optional<c10::Event> copied, consumed;
    std::optional<c10::Event> dry,
        fed;  ///< the device has done all that was queued before; it has this slot's data
    double waited_s = 0;  ///< of the host, for this slot's data
    bool filled = false, timed = false;
  };
  bool fill(Slot& slot);
  void count_starved(Slot& slot);
  void pack(const HostBatch& host, torch::Tensor& labels) const;
  void unpack(const torch::Tensor& labels, std::int64_t rows);

  BatchLoader& loader_;
  torch::Device device_;
  BatchShape shape_;
  torch::Tensor images_;  ///< as Batch::images, of a full batch
  std::optional<c10::Stream> copy_stream_;
  std::array<Slot, 2> slots_;
  std::size_t current_ = 0;
  bool ended_ = false;
  double starved_s_ = 0;
  std::vector<RowPlace> places_;
  Batch batch_;
};

/// How long a device starved for a batch: it was idle for `idle_s` before it, while the host waited
/// `waited_s` for the data. What it was idle beyond that has other reasons (a slow host); what the
/// host waited beyond that did not hurt.
inline double starved(double idle_s, double waited_s) {
  return std::max(0.0, std::min(idle_s, waited_s));
}

}  // namespace letterpress
