#include "trainer/commands/commands.h"

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program(
      "letterpress-trainer", "Trains detectors on prepared shards and measures them.",
      {fit_command(), eval_command(), inspect_command(), import_command(), export_command(), bench_command(), report_command()}, argc,
      argv);
}
