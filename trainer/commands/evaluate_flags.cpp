#include "trainer/commands/evaluate_flags.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "letterpress/commandline/program.h"
#include "letterpress/commandline/require_flag.h"
#include "trainer/device/device.h"
#include "trainer/fit/options/shared_flags.h"

namespace letterpress {

void define(CLI::App& app, EvaluateFlags& flags) {
  app.add_option("--batch", flags.batch, "pictures at once");
  app.add_option("--device", flags.device, "auto, cpu, cuda or cuda:N");
  app.add_option("--precision", flags.precision, "arithmetic: fp32, bf16 or, on CUDA, fp16");
  app.add_option("--threads", flags.threads, "CPU threads; 0: all cores");
  app.add_option("--readers", flags.readers, "threads that read ahead; 0: min(4, cores)");
  app.add_option("--read", flags.read, "how rows are read: auto, pread, mmap or direct");
}

void validate(const EvaluateFlags& flags) {
  require_flag(flags.batch >= 1, "batch", flags.batch, "1 or more");
  require_threads(flags.threads);
  require_readers(flags.readers);
  read_by_from(flags.read);
  validate_precision(flags.precision);
}

torch::Device set_up_device(const EvaluateFlags& flags) {
  const torch::Device device = choose_device(flags.device);
  set_up_arithmetic(device, flags.threads, false);
  return device;
}

EvaluateOptions evaluate_options(const EvaluateFlags& flags, torch::Device device,
                                 Progress& progress) {
  return {.device = device,
          .type = arithmetic_type(flags.precision, device),
          .batch = flags.batch,
          .readers = flags.readers,
          .read = read_by_from(flags.read),
          .stop = [] { return stop_signal() != 0; },
          .evaluated = [&progress](std::int64_t n) { progress.add(n); },
          .note =
              [&progress, said = false](const std::string& text) mutable {
                if (!std::exchange(said, true)) progress.note(text);
              }};
}

}  // namespace letterpress
