#pragma once
#include <string>

namespace letterpress {

/// Who computes on a CUDA device of this process, by its number here: "python (process 4711, 3.1
/// GiB), ..."; empty: nobody, or the driver does not tell. Asks the driver (NVML) and makes no
/// context, so that the device stays untouched.
std::string device_users(int device);

}  // namespace letterpress
