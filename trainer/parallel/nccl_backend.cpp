#include "trainer/parallel/nccl_backend.h"

#include "letterpress/base/error.h"

#ifdef LETTERPRESS_NCCL
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace letterpress {

c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int ranks) {
#ifdef LETTERPRESS_NCCL
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, ranks);
#else
  static_cast<void>(store);
  throw Error("rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                  ": this program was built without NCCL; build it with the CUDA wheel of LibTorch "
                  "(scripts/setup.sh), or use --device cpu",
              Exit::configuration);
#endif
}

}  // namespace letterpress
