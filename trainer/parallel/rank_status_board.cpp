#include "trainer/parallel/rank_status_board.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <new>

#include "letterpress/base/error.h"
#include "letterpress/base/stopped_within.h"

namespace letterpress {
namespace {

using Number = std::atomic<std::int64_t>;
static_assert(Number::is_always_lock_free);  // several processes use it
constexpr std::int64_t kStopped_ms = 2000;   // of a process that shows four times a second it lives

// All processes of a host share this clock, and it stops while the host sleeps.
std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds(std::int64_t ms) {
  return static_cast<double>(std::max<std::int64_t>(0, ms)) / 1000;
}

}  // namespace

struct RankStatusBoard::Line {
  Number step{-1}, activity{0}, began_ms{0}, sign_ms{0}, alive_ms{0}, longest_ms{0};
  Number device{0}, passed{0};
};

RankStatusBoard::RankStatusBoard(int world_size)
    : descriptor_(memfd_create("letterpress-steps", 0)), world_size_(world_size) {
  if (descriptor_ < 0 ||
      ftruncate(descriptor_,
                static_cast<off_t>(static_cast<std::size_t>(world_size) * sizeof(Line))) != 0)
    throw system_error("ranks", "no memory to share with them", errno);
  map();
  for (int rank = 0; rank < world_size; ++rank) new (lines_ + rank) Line;
}

RankStatusBoard::RankStatusBoard(int descriptor, int world_size)
    : descriptor_(descriptor), world_size_(world_size) {
  if (descriptor_ >= 0) map();
}

void RankStatusBoard::map() {
  void* memory = mmap(nullptr, static_cast<std::size_t>(world_size_) * sizeof(Line),
                      PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED)
    throw system_error("ranks", "the memory shared with them cannot be mapped", errno);
  lines_ = static_cast<Line*>(memory);
}

RankStatusBoard::~RankStatusBoard() {
  if (lines_) munmap(lines_, static_cast<std::size_t>(world_size_) * sizeof(Line));
  if (descriptor_ >= 0) close(descriptor_);
}

void RankStatusBoard::set_step(int rank, std::int64_t step) noexcept {
  if (!lines_) return;
  lines_[rank].step = step;
  report_progress(rank);
}

RankActivity RankStatusBoard::set_activity(int rank, RankActivity activity) noexcept {
  if (!lines_) return RankActivity::unreported;
  Line& line = lines_[rank];
  const std::int64_t now = now_ms();
  const auto before = static_cast<RankActivity>(line.activity.load());
  if (before == RankActivity::in_step)
    line.longest_ms = std::max<std::int64_t>(line.longest_ms, now - line.began_ms);
  // The time first: otherwise a reader could see the new activity with the old one's start.
  line.began_ms = line.sign_ms = line.alive_ms = now;
  line.activity = static_cast<std::int64_t>(activity);
  return before;
}

void RankStatusBoard::report_progress(int rank) noexcept {
  if (lines_) lines_[rank].sign_ms = lines_[rank].alive_ms = now_ms();
}

void RankStatusBoard::report_alive(int rank) noexcept {
  if (!lines_) return;
  const std::int64_t now = now_ms();
  const std::int64_t silent = now - lines_[rank].alive_ms.exchange(now);
  if (silent > kStopped_ms) lines_[rank].sign_ms += silent;
}

void RankStatusBoard::report_device(int rank, DeviceActivity activity,
                                    std::int64_t passed) noexcept {
  if (!lines_) return;
  lines_[rank].device = static_cast<std::int64_t>(activity);
  if (lines_[rank].passed.exchange(passed) != passed) report_progress(rank);
}

RankStatus RankStatusBoard::status(int rank) const noexcept {
  if (!lines_) return {};
  const Line& line = lines_[rank];
  const auto activity = static_cast<RankActivity>(line.activity.load());
  const std::int64_t now = now_ms();
  return {.step = line.step,
          .activity = activity,
          .device = static_cast<DeviceActivity>(line.device.load()),
          .since_s = seconds(now - line.sign_ms),
          .silent_s = seconds(now - line.alive_ms),
          .longest_s = seconds(line.longest_ms)};
}

Heartbeat::Heartbeat(RankStatusBoard& board, int rank) {
  if (!board.is_shared()) return;
  thread_ = std::jthread([&board, rank](const std::stop_token& stop) {
    do {
      board.report_alive(rank);
    } while (!stopped_within(std::chrono::milliseconds(250), stop));
  });
}

}  // namespace letterpress
