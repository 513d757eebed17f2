#pragma once
#include <string>

namespace letterpress {

/// The processes that compute on a CUDA device, by its number in this process: "python (process
/// 4711, 3.1 GiB), ..."; empty: none, or the driver does not tell. Asks the driver (NVML) and
/// creates no context, so that the device stays untouched.
std::string device_users(int device);

}  // namespace letterpress
