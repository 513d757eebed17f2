#include <opencv2/core/utility.hpp>

#include "preprocess/commands/commands.h"

int main(int argc, char** argv) {
  cv::setNumThreads(1);  // parallelism is over pictures only
  using namespace letterpress;
  return run_program(
      "letterpress-preprocess", "labelled pictures -> a store of ready tensors",
      {anchors_command(), build_command(), gc_command(), info_command(), ledger_command(), lint_command(), map_command(), plan_command(),
       preview_command(), recipes_command(), reduce_command(), report_command(), unpack_command(), verify_command()},
      argc, argv);
}
