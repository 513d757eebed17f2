#pragma once
#include <c10/core/Event.h>
#include <torch/torch.h>

#include <array>
#include <optional>

#include "trainer/batch.h"
#include "trainer/loader/batch_loader.h"

namespace letterpress {

/// uint8 [B, side, side, 3] -> images, float32|bfloat16 [B, 3, side, side] channels_last, 0..1. NHWC bytes seen as NCHW are channels_last
/// already: nothing is transposed. One kernel on CUDA.
void normalise(const torch::Tensor& packed, torch::Tensor& images);

/// Makes the loader's images page-locked where the device is CUDA, so that their copies are asynchronous.
void pin_for(torch::Device device, LoaderOptions& options);

/// Batches of a loader on the device, in buffers that live as long as it. Bytes cross to the device, where they become floats. On CUDA the
/// copy of the next batch runs on a stream of its own beside the step. One thread. The host waits for a copy, never for a step.
class DeviceFeed {
 public:
  struct Shape {
    int batch, side, max_boxes;
  };
  /// `loader` outlives the feed; all its batches have `shape`. type: float32 or bfloat16, of the images.
  DeviceFeed(BatchLoader& loader, torch::Device device, torch::Dtype type, const Shape& shape);

  /// The next batch, or nullptr after the last. Valid until the next call. Throws what the loader throws.
  const Batch* next();
  /// Starts the copy of the batch after it: call it when the step's kernels are queued. Nothing to do on a CPU.
  void prefetch();
  /// Where the rows of the last batch of next() are; shard -1: padding.
  const std::vector<RowPlace>& places() const noexcept { return places_; }

 private:
  /// Boxes, flags, label and weight travel in one piece: label int64 [B], boxes, weight, flags.
  struct Slot {
    torch::Tensor host_labels, labels, images;  ///< uint8; labels and images on the device
    std::vector<std::int64_t> samples;
    std::vector<RowPlace> places;
    std::optional<c10::Event> copied, consumed;
    bool filled = false;
  };
  bool fill(Slot& slot);
  void pack(const HostBatch& host, torch::Tensor& labels) const;
  void unpack(const torch::Tensor& labels);

  BatchLoader& loader_;
  torch::Device device_;
  Shape shape_;
  std::optional<c10::Stream> copy_stream_;
  std::array<Slot, 2> slots_;
  std::size_t current_ = 0;
  bool ended_ = false;
  std::vector<RowPlace> places_;
  Batch batch_;
};

}  // namespace letterpress
