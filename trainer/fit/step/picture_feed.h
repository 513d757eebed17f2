#pragma once
#include "trainer/fit/opening/run.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/loader/batch_loader.h"

namespace letterpress {

/// How a rank's loader reads for training: its micro-batch, the largest where they differ, readers,
/// checks, way and deadline as the options have them, pixels for the device. advise is the
/// caller's, whose order it belongs to.
LoaderOptions training_loading(const FitOptions& options, torch::Device device, int rank,
                               int world_size);

/// This rank's micro-batches of a run, on its device, from the step on that the run is at.
class PictureFeed {
 public:
  /// Reads run.pictures, which outlive it unchanged. Throws as BatchLoader does.
  PictureFeed(const Run& run, torch::Device device);

  DeviceFeed& batches() { return feed_; }
  const ReadChoice& read_choice() const { return loader_.read_choice(); }
  int batch() const { return loader_.shape().batch; }  ///< rows of a micro-batch

 private:
  BatchLoader loader_;
  DeviceFeed feed_;
};

}  // namespace letterpress
