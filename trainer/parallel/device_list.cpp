#include "trainer/parallel/device_list.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/parse_as.h"

namespace letterpress {
namespace {

std::string what_there_is(int present) {
  if (present == 0)
    return "there is no CUDA device here; look at nvidia-smi, or train on the CPU with --device "
           "cpu --ranks N";
  std::string names;
  for (int i = 0; i < present; ++i) names += (i ? ", " : "") + std::to_string(i);
  return (present == 1 ? "there is 1 CUDA device here: "
                       : "there are " + std::to_string(present) + " CUDA devices here: ") +
         names;
}

std::vector<int> first_devices(const std::string& gpus, int present) {
  const std::optional<int> wanted = gpus == "all" ? present : parse_count(gpus);
  if (!wanted || (*wanted == 0 && gpus != "all"))
    throw Error({.what = "--gpus is '" + gpus + "', must be all or a number from 1",
                 .fix = what_there_is(present)},
                Exit::usage);
  if (*wanted == 0 || *wanted > present)
    throw Error({.where = "--gpus " + gpus, .what = what_there_is(present)}, Exit::configuration);
  std::vector<int> list(static_cast<std::size_t>(*wanted));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

}  // namespace

std::vector<int> device_list(const std::string& gpus, const std::string& devices, int present) {
  if (!gpus.empty() && !devices.empty())
    throw Error(
        Message{.what = "--gpus and --devices are both given", .fix = "pass only one of them"},
        Exit::usage);
  if (!gpus.empty()) return first_devices(gpus, present);
  std::vector<int> list;
  std::istringstream rest(devices.empty() ? "" : devices + ",");
  for (std::string text; std::getline(rest, text, ',');) {
    const std::optional<int> device = parse_count(text);
    const std::string where = "--devices " + devices;
    if (!device)
      throw Error({.where = where,
                   .what = "'" + text + "' is not a device number, must be a list such as 0,1",
                   .fix = what_there_is(present)},
                  Exit::usage);
    if (*device >= present)
      throw Error({.where = where,
                   .what = "device " + text + " does not exist",
                   .fix = what_there_is(present)},
                  Exit::configuration);
    if (std::find(list.begin(), list.end(), *device) != list.end())
      throw Error({.where = where,
                   .what = "device " + text + " is named twice, it serves one rank",
                   .fix = what_there_is(present)},
                  Exit::usage);
    list.push_back(*device);
  }
  return list;
}

void require_free(const std::vector<int>& list, int present, const std::string& flag,
                  const std::function<std::string(int)>& users) {
  std::string busy;
  for (const int device : list) {
    const std::string by = users(device);
    if (!by.empty())
      busy +=
          (busy.empty() ? "device " : "; device ") + std::to_string(device) + " is busy with " + by;
  }
  if (busy.empty()) return;
  std::string free;
  for (int device = 0; device < present; ++device) {
    if (users(device).empty()) free += (free.empty() ? "" : ",") + std::to_string(device);
  }
  const std::string others = free.empty() ? "none is free now" : "free now: --devices " + free;
  throw Error({.where = flag,
               .what = busy + "; " + what_there_is(present) + "; " + others,
               .fix = "pass --share-devices to train beside others, slower"},
              Exit::busy);
}

}  // namespace letterpress
