#include "trainer/fit/rates/device_rate.h"

#include <torch/cuda.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <vector>

#include "trainer/device/device.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {
namespace {

/// Rows per second of passes of `batches` times `work`, after one that is not timed.
Rate rate_of_passes(const LoaderTrial& trial, torch::Device device,
                    const std::function<void()>& work) {
  std::vector<double> rates;
  for (int run = 0; run <= trial.runs; ++run) {
    torch::cuda::synchronize(device.index());
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t b = 0; b < trial.batches(); ++b) work();
    torch::cuda::synchronize(device.index());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    rates.push_back(static_cast<double>(trial.batches() * trial.loading.batch) / seconds.count());
  }
  rates.erase(rates.begin());
  return rate_of(rates);
}

}  // namespace

DeviceRate measure_device_rate(const LoaderTrial& trial, torch::Device device) {
  if (!device.is_cuda())
    throw std::logic_error("measure_device_rate: " + device.str() + " is not a CUDA device");
  if (!device.has_index()) device = torch::Device(torch::kCUDA, 0);
  const torch::NoGradGuard no_gradient;
  LoaderOptions loading = trial.loading;
  loading.pixels = PixelType::bytes;
  load_for(device, torch::kFloat, loading);
  BatchLoader loader(
      trial.reader,
      training_sequence(trial.pictures, {.global_batch = loading.batch, .window = trial.window}, 0,
                        1),
      0, loading);
  DeviceFeed feed(loader, device, torch::kFloat);
  const BatchShape shape = loader.shape();
  const auto bytes = torch::TensorOptions(torch::kByte);
  const torch::Tensor host =
      torch::ones({shape.batch, shape.side, shape.side, 3}, bytes).pin_memory();
  torch::Tensor there = torch::empty_like(host, bytes.device(device));
  return {.rows = rate_of_passes(trial, device,
                                 [&] {
                                   feed.next();
                                   feed.prefetch();
                                 }),
          .bus = rate_of_passes(trial, device, [&] { there.copy_(host, true); }),
          .device = describe(device)};
}

}  // namespace letterpress
