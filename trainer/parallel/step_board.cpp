#include "trainer/parallel/step_board.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using Step = std::atomic<std::int64_t>;
static_assert(Step::is_always_lock_free);  // it is used by several processes

std::size_t bytes_of(int ranks) { return static_cast<std::size_t>(ranks) * sizeof(Step); }

}  // namespace

StepBoard::StepBoard(int ranks) : descriptor_(memfd_create("letterpress-steps", 0)), ranks_(ranks) {
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes_of(ranks))) != 0)
    throw system_error("ranks", "no memory to share with them", errno);
  map();
  for (int rank = 0; rank < ranks; ++rank) write(rank, -1);
}

StepBoard::StepBoard(int descriptor, int ranks) : descriptor_(descriptor), ranks_(ranks) {
  if (descriptor_ >= 0) map();
}

void StepBoard::map() {
  memory_ = mmap(nullptr, bytes_of(ranks_), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory_ == MAP_FAILED) throw system_error("ranks", "the memory shared with them cannot be mapped", errno);
}

StepBoard::~StepBoard() {
  if (memory_) munmap(memory_, bytes_of(ranks_));
  if (descriptor_ >= 0) close(descriptor_);
}

void StepBoard::write(int rank, std::int64_t step) noexcept {
  if (memory_) static_cast<Step*>(memory_)[rank].store(step, std::memory_order_relaxed);
}

std::int64_t StepBoard::read(int rank) const noexcept {
  return memory_ ? static_cast<const Step*>(memory_)[rank].load(std::memory_order_relaxed) : -1;
}

}  // namespace letterpress
