#include "trainer/commands/commands.h"
#include "trainer/device/memory_shortage.h"
#include "trainer/device/process_setup.h"

namespace letterpress {
namespace {

// Of a training's shortage of memory fit says more.
Command computing(Command command) {
  command.run = [work = command.run](const FlagValues& flags) {
    set_up_process();
    return explaining_shortage("where there is a --batch, a smaller one takes less",
                               [&] { return work(flags); });
  };
  return command;
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program(
      "letterpress-trainer", "Trains detectors on prepared shards and measures them.",
      {computing(fit_command()), computing(eval_command()), computing(inspect_command()),
       computing(import_command()), computing(export_command()), computing(bench_command()),
       computing(doctor_command()), computing(report_command())},
      argc, argv);
}
