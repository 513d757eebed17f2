#include "trainer/commands/commands.h"
#include "trainer/device/memory_shortage.h"

namespace letterpress {
namespace {

// Of a training fit says more.
Command explained(Command command) {
  command.run = [work = command.run](const FlagValues& flags) {
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
      {explained(fit_command()), explained(eval_command()), explained(inspect_command()),
       explained(import_command()), explained(export_command()), explained(bench_command()),
       explained(report_command())},
      argc, argv);
}
