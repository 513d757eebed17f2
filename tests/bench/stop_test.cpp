#include <doctest/doctest.h>

#include "tests/tools/processor_time.h"
#include "tests/tools/run_program.h"

namespace letterpress {

TEST_CASE(
    "SIGTERM ends the micro-benchmarks within two seconds of work, with 143, and leaves no file of "
    "rows") {
  const TempDir folder;
  const double before = children_cpu_s();
  RunningProgram program({program_path("letterpress-microbench"), "run", "--only", "row_write",
                          "--size", "64", "--rows", "4096", "--passes", "1000", "--folder",
                          folder.path().string()});
  REQUIRE(program.wait_for_output("letterpress-microbench run: measuring row_write\n", "err"));
  const double at_signal = cpu_s(program.id());
  program.send(SIGTERM);
  const ProgramResult result = program.wait();
  CAPTURE(result.err);
  CHECK(result.exit_code == 143);
  CHECK(result.out.empty());
  CHECK(children_cpu_s() - before - at_signal < 2);
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace letterpress
