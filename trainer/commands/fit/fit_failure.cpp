#include "trainer/commands/fit/fit_failure.h"

#include <filesystem>

#include "letterpress/base/folder.h"
#include "letterpress/base/parallel.h"
#include "trainer/device/device.h"
#include "trainer/device/memory_shortage.h"
#include "trainer/device/not_deterministic.h"
#include "trainer/fit/options/derived_options.h"

namespace letterpress {

Error gone_since(const Error& error) {
  if (error.exit() != Exit::no_input) return error;
  Message message = error.message();
  message.fix =
      "it was there when the run began: is a disk or a share gone? --resume goes on from "
      "the last checkpoint";
  return Error(std::move(message), Exit::io);
}

Error fit_failure(const std::exception& failure, const std::string& where,
                  const FitOptions& options) {
  if (const auto* error = dynamic_cast<const Error*>(&failure))
    return Error(inside(where, error->message()), error->exit());
  if (const auto* refused = dynamic_cast<const std::filesystem::filesystem_error*>(&failure))
    return Error(inside(where, error_of(*refused).message()), Exit::io);
  if (const auto shortage = thread_shortage(failure))
    return Error(inside(where, shortage->message()), shortage->exit());
  if (const auto shortage = memory_shortage(failure)) {
    const std::string precision = options.precision == "fp32" ? ", --precision bf16" : "";
    const std::string side = options.multi_scale == "none"
                                 ? "--input-size"
                                 : "--multi-scale (" + options.multi_scale + ")";
    const std::string graph =
        replays_graph(options, choose_device(options.device)) ? ", --cuda-graph off" : "";
    return Error(
        inside(where, {.where = "out of memory",
                       .what = *shortage,
                       .fix = "a larger --accumulate (" + std::to_string(options.accumulate) +
                              ") trains the same in smaller parts; a smaller --batch (" +
                              std::to_string(options.batch) + ") or " + side + precision + graph +
                              " take less, too, and `fit --dry-run` tells how much"}),
        Exit::io);
  }
  if (const auto operation = not_deterministic(failure))
    return Error(inside(where, {.where = "--deterministic",
                                .what = *operation + " has no reproducible kernel on this device",
                                .fix = "leave the flag out"}),
                 Exit::configuration);
  return Error(inside(where, {.where = "a bug of ours, please report it", .what = failure.what()}),
               Exit::bug);
}

}  // namespace letterpress
