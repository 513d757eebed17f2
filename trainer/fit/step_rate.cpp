#include "trainer/fit/step_rate.h"

#include <torch/torch.h>

#include <chrono>

#include "trainer/device/device.h"
#include "trainer/fit/device_feed.h"
#include "trainer/fit/model_for_store.h"
#include "trainer/fit/part_options.h"
#include "trainer/fit/run_model.h"

namespace letterpress {

StepRate measure_step_rate(const SnapshotReader& reader, const std::vector<PictureRows>& pictures, const StepRateOptions& options) {
  validate_precision(options.precision);
  const torch::Device device = choose_device(options.device);
  set_up_arithmetic(device, options.threads, false);
  const torch::Dtype type = options.precision == "bf16" ? torch::kBFloat16 : torch::kFloat;
  RunModel model(make_graph(options.model, reader.snapshot(), choose_anchors("auto", options.model, reader, pictures, nullptr)),
                 {.precision = options.precision}, device);
  LoaderOptions loading{.batch = options.batch, .threads = 1, .buffers = 2};
  load_for(device, type, loading);
  BatchLoader loader(reader, training_sequence(pictures, {.global_batch = options.batch}, 0, 1), 0, loading);
  DeviceFeed feed(loader, device, type);
  const Batch& batch = *feed.next();
  constexpr double kRate = 1e-9;  // the weights stay where they are
  const auto step = [&] {
    model.step().accumulate(batch);
    return model.step().update(kRate);
  };
  step().sum().item<float>();  // memory is taken, kernels are chosen
  std::vector<double> rates;
  for (int run = 0; run < options.runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    double steps = 0, seconds = 0;
    for (; steps == 0 || seconds < options.seconds; ++steps) {
      step().sum().item<float>();  // waits for the device
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    rates.push_back(steps * options.batch / seconds);
  }
  return {rate_of(rates), describe(device)};
}

}  // namespace letterpress
