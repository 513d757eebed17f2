#include "letterpress/hdf5/handle.h"

namespace letterpress::hdf5 {

void silence() {
  // The setting is one per thread in a thread-safe HDF5.
  thread_local const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(silenced);
}

std::string last_error() {
  std::string message;
  const auto keep_first = [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
    auto& kept = *static_cast<std::string*>(text);
    if (kept.empty() && error->desc) kept = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &message);
  H5Eclear2(H5E_DEFAULT);
  return message.empty() ? "no message" : message;
}

}  // namespace letterpress::hdf5
