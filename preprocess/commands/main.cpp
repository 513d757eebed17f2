#include <malloc.h>

#include <opencv2/core/utility.hpp>

#include "preprocess/commands/commands.h"
#include "preprocess/pictures/quiet_decoders.h"

namespace {

// Tables of a plan and of a shard in the making go back to the system when they are done with. Left
// alone, malloc raises this limit with the first large block that it is given back, and keeps what
// comes after in pieces: a sixth of what a build of 20,000 pictures has.
constexpr int kOwnMappingBytes = 512 << 10;

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, kOwnMappingBytes);
  cv::setNumThreads(1);  // parallelism is over pictures only
  using namespace letterpress;
  quiet_decoders();
  return run_program("letterpress-preprocess", "labelled pictures -> a store of ready tensors",
                     {anchors_command(), build_command(), doctor_command(), gc_command(),
                      info_command(), ledger_command(), lint_command(), map_command(),
                      plan_command(), preview_command(), recipes_command(), reduce_command(),
                      refresh_command(), report_command(), unpack_command(), verify_command()},
                     argc, argv);
}
