#include "trainer/fit/rates/step_rate.h"

#include <torch/types.h>

#include "letterpress/base/clock.h"
#include "trainer/device/cuda_graph.h"
#include "trainer/device/device.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {

namespace {

torch::Tensor start_step(RunModel& model, const Batch& batch, const StepTiming& timing) {
  constexpr double kRate = 1e-9;  // the weights stay where they are
  for (int part = 0; part < timing.parts; ++part)
    model.step().accumulate(timing.input ? timing.input(batch) : batch, part + 1 == timing.parts);
  return model.step().update(kRate).sum();
}

}  // namespace

void take_step(RunModel& model, const Batch& batch, const StepTiming& timing) {
  start_step(model, batch, timing).item<float>();
}

int steps_per_look(torch::Device device) { return device.is_cuda() ? 10 : 1; }

Rate time_steps(RunModel& model, const Batch& batch, const StepTiming& timing) {
  const auto pictures = static_cast<double>(batch.weight.size(0) * timing.parts);
  std::vector<double> rates;
  for (int run = 0; run < timing.runs; ++run) {
    const Clock::time_point begin = Clock::now();
    double steps = 0, seconds = 0;
    while (steps == 0 || seconds < timing.seconds) {
      torch::Tensor loss;
      for (int step = 0; step < timing.steps_per_look; ++step, ++steps)
        loss = start_step(model, batch, timing);
      loss.item<float>();
      seconds = seconds_since(begin);
    }
    rates.push_back(steps * pictures / seconds);
  }
  return rate_of(rates);
}

StepRate measure_step_rate(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                           const StepRateOptions& options) {
  const torch::Device device = choose_device(options.device);
  set_up_arithmetic(device, options.threads, {.tf32 = options.tf32});
  const torch::Dtype type = arithmetic_type(options.precision, device);
  RunModel model(make_graph(options.model, reader.snapshot(),
                            choose_anchors("auto", options.model, reader, pictures, nullptr)),
                 {.precision = options.precision, .cuda_graph = options.cuda_graph}, device);
  LoaderOptions loading{.batch = options.batch, .threads = 1, .buffers = 2};
  load_for(device, type, loading);
  BatchLoader loader(reader, training_sequence(pictures, {.global_batch = options.batch}, 0, 1), 0,
                     loading);
  DeviceFeed feed(loader, device, type);
  const Batch& batch = *feed.next();
  // Memory is taken, kernels are chosen, and where steps are replayed, they have been captured.
  const bool replayed = graph_chosen(options.cuda_graph, device);
  const int warm_ups = replayed ? CapturedWork::kWarmUps + 1 : 1;
  for (int i = 0; i < warm_ups; ++i) take_step(model, batch, {});
  return {time_steps(model, batch,
                     {.runs = options.runs,
                      .seconds = options.seconds,
                      .steps_per_look = steps_per_look(device)}),
          describe(device), replayed, loading.pixels};
}

}  // namespace letterpress
