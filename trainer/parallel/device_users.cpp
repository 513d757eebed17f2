#include "trainer/parallel/device_users.h"

#include <dlfcn.h>

#include <array>
#include <climits>
#include <filesystem>
#include <vector>

#include "letterpress/base/bytes_text.h"
namespace letterpress {
namespace {

/// A library of the driver. Machines without a GPU lack it.
class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Calls the C function `name`. Returns -1 where it does not exist, else its result: 0 for
  /// success.
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    void* const symbol = handle_ ? dlsym(handle_, name) : nullptr;
    return symbol ? reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...) : -1;
  }

 private:
  void* handle_;
};

/// nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3.
struct ProcessInfo {
  unsigned process = 0;
  unsigned long long bytes = 0;  ///< all ones: not known
  unsigned gpu_instance = 0, compute_instance = 0;
};

constexpr int kTooSmall = 7;  // NVML_ERROR_INSUFFICIENT_SIZE

/// NVML counts all devices of the machine, CUDA only the visible ones in its own order: both know
/// the id on the bus.
std::string bus_id(int device) {
  const Library cuda("libcuda.so.1");
  std::array<char, 32> id{};
  int handle = 0;
  const bool found =
      cuda.call("cuInit", 0U) == 0 && cuda.call("cuDeviceGet", &handle, device) == 0 &&
      cuda.call("cuDeviceGetPCIBusId", id.data(), static_cast<int>(id.size()), handle) == 0;
  return found ? id.data() : "";
}

std::vector<ProcessInfo> processes_on(const Library& nvml, const std::string& id) {
  void* handle = nullptr;
  if (nvml.call("nvmlDeviceGetHandleByPciBusId_v2", id.c_str(), &handle) != 0) return {};
  unsigned n = 16;
  std::vector<ProcessInfo> processes(n);
  int status = kTooSmall;
  while ((status = nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", handle, &n,
                             processes.data())) == kTooSmall &&
         n < (1U << 16)) {
    n *= 2;  // more processes may start meanwhile
    processes.resize(n);
  }
  processes.resize(status == 0 ? n : 0);
  return processes;
}

std::string describe(const Library& nvml, const ProcessInfo& info) {
  std::array<char, 256> path{};
  const bool named = nvml.call("nvmlSystemGetProcessName", info.process, path.data(),
                               static_cast<unsigned>(path.size())) == 0;
  const std::string name = named ? std::filesystem::path(path.data()).filename().string() : "";
  const std::string memory =
      info.bytes == ULLONG_MAX ? "" : ", " + bytes_text(static_cast<double>(info.bytes));
  return (name.empty() ? "a program" : name) + " (process " + std::to_string(info.process) +
         memory + ")";
}

}  // namespace

std::string device_users(int device) {
  const std::string id = bus_id(device);
  const Library nvml("libnvidia-ml.so.1");
  if (id.empty() || nvml.call("nvmlInit_v2") != 0) return {};
  std::string users;
  for (const ProcessInfo& info : processes_on(nvml, id))
    users += (users.empty() ? "" : ", ") + describe(nvml, info);
  nvml.call("nvmlShutdown");
  return users;
}

}  // namespace letterpress
