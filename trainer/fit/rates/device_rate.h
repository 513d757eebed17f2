#pragma once
#include <torch/types.h>

#include <string>

#include "trainer/loader/rates/loader_rate.h"

namespace letterpress {

/// How fast a loader's rows reach a CUDA device, rows/s, when nothing is computed with them.
struct DeviceRate {
  Rate rows;           ///< read warm, copied and made floats there, as training has them
  Rate bus;            ///< ceiling: one page-locked batch copied there again and again
  std::string device;  ///< "cuda:0"
};
/// Medians of `trial.runs` passes of one loader of bytes; the device is waited for at the end of
/// each. Throws what the loader throws, and std::logic_error for a device that is not a CUDA
/// device.
DeviceRate measure_device_rate(const LoaderTrial& trial, torch::Device device);

}  // namespace letterpress
