#include "trainer/commands/evaluate_flags.h"

#include <utility>

#include "letterpress/commandline/program.h"
#include "trainer/device/device_flags.h"

namespace letterpress {

const FlagTable<EvaluateFlags>& evaluate_flags() {
  using Flags = EvaluateFlags;
  using F = Flag<Flags>;
  static const FlagTable<Flags> table = FlagTable<Flags>().add(
      {F("batch", &Flags::batch, "pictures at once").at_least(1),
       device_flag<Flags>(&Flags::device), precision_flag<Flags>(&Flags::precision, "arithmetic: "),
       threads_flag<Flags>(&Flags::threads),
       readers_flag<Flags>(&Flags::readers, "threads that read ahead"),
       read_flag<Flags>(&Flags::read)});
  return table;
}

torch::Device set_up_device(const EvaluateFlags& flags) {
  const torch::Device device = choose_device(flags.device);
  set_up_arithmetic(device, tell(limit_to_cores(flags.threads)), {});
  return device;
}

EvaluateOptions evaluate_options(const EvaluateFlags& flags, torch::Device device,
                                 Progress& progress) {
  return {.device = device,
          .type = arithmetic_type(flags.precision, device),
          .batch = flags.batch,
          .readers = tell(limit_readers(flags.readers)),
          .read = read_by_from(flags.read),
          .stop = [] { return bool(stop_by_signal()); },
          .evaluated = [&progress](std::int64_t n) { progress.add(n); },
          .note =
              [&progress, said = false](const std::string& text) mutable {
                if (!std::exchange(said, true)) progress.note(text);
              }};
}

}  // namespace letterpress
