#pragma once
#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/batch.h"
#include "trainer/loader/pixels/row_sink.h"
#include "trainer/loader/rates/rate.h"

namespace letterpress {

class RunModel;

struct StepRateOptions {
  std::string model = "yolov3-tiny";  ///< name in the table of models
  std::string device = "auto";        ///< auto, cpu, cuda or cuda:N
  std::string precision = "fp32";     ///< fp32, bf16 or fp16
  bool tf32 = false;                  ///< CUDA: as KernelChoice
  std::string cuda_graph = "auto";    ///< steps replay a CUDA graph: auto, on or off
  int batch = 16;                     ///< pictures per step
  int threads = 0;                    ///< CPU threads of the arithmetic; 0: all cores
  int runs = 5;                       ///< of which the median counts
  double seconds = 1;                 ///< of a run, and at least one step; more for a steadier rate
};

/// Pictures per second that training steps of a model take in when one batch lies ready and is used
/// again and again: what the loader has to give one device.
struct StepRate {
  Rate pictures;
  std::string device;                   ///< "cpu, 2 threads"
  bool replayed = false;                ///< a CUDA graph
  PixelType pixels = PixelType::bytes;  ///< what its loader gives that device at that precision
};
StepRate measure_step_rate(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                           const StepRateOptions& options);

struct StepTiming {
  /// What each micro-batch is made of the batch by, timed too; empty: it is taken as it is.
  std::function<Batch(const Batch&)> input{};
  int parts = 1;           ///< micro-batches per step
  int runs = 5;            ///< as in StepRateOptions
  double seconds = 1;      ///< the same
  int steps_per_look = 1;  ///< steps between two looks at how long a run has taken: a look waits
                           ///< for the device, as a training's does only every --log-every steps
};
/// Of a device: many where a look is a wait.
int steps_per_look(torch::Device device);
/// The same of a model that is there, whose weights stay where they are. All micro-batches are
/// `batch`.
Rate time_steps(RunModel& model, const Batch& batch, const StepTiming& timing);
/// One such step. Waits for the device.
void take_step(RunModel& model, const Batch& batch, const StepTiming& timing);

}  // namespace letterpress
