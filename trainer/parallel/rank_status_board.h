#pragma once
#include <cstdint>
#include <thread>

namespace letterpress {

/// What a rank does, as far as the others need to know.
enum class RankActivity : std::int64_t {
  unreported,  ///< it has reported nothing yet
  in_step,     ///< computes a step: the others will need it soon
  waiting,     ///< for the others
  on_device,   ///< waits for its own device
  long_task,   ///< may take long: starting, a run's first step, a checkpoint
};

/// What a rank's device does, which its host may be ahead of.
enum class DeviceActivity : std::int64_t { unreported, computing, waiting };

/// What a rank reports of itself.
struct RankStatus {
  std::int64_t step = -1;  ///< -1: before its first
  RankActivity activity = RankActivity::unreported;
  DeviceActivity device = DeviceActivity::unreported;  ///< unreported on a CPU
  double since_s = 0;    ///< seconds since the activity began, or it or the device got on
  double silent_s = 0;   ///< seconds since the process last showed that it lives
  double longest_s = 0;  ///< its longest step so far
};

/// A line per rank in memory that the supervisor of local ranks shares with them. From it the
/// supervisor knows the step of a rank that was killed, and notices a rank that hangs. A rank
/// without a supervisor has a board of its own, for its RankWatch. Thread-safe.
class RankStatusBoard {
 public:
  /// A new board. Throws Error (io) when there is no memory.
  explicit RankStatusBoard(int world_size);
  /// A rank's: the board behind `descriptor`, which the supervisor left open for it; -1: none,
  /// writing does nothing.
  RankStatusBoard(int descriptor, int world_size);
  ~RankStatusBoard();
  RankStatusBoard(const RankStatusBoard&) = delete;
  RankStatusBoard& operator=(const RankStatusBoard&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  bool is_shared() const noexcept { return lines_ != nullptr; }
  void set_step(int rank, std::int64_t step) noexcept;
  /// Returns the activity before.
  RankActivity set_activity(int rank, RankActivity activity) noexcept;
  void report_progress(int rank) noexcept;  ///< within an activity
  /// After a silence of more than two seconds the activity counts from now: a process that was
  /// stopped did not wait.
  void report_alive(int rank) noexcept;
  /// passed: how far the device got; any number but the last one is progress.
  void report_device(int rank, DeviceActivity activity, std::int64_t passed) noexcept;
  RankStatus status(int rank) const noexcept;

 private:
  struct Line;
  void map();

  int descriptor_, world_size_;
  Line* lines_ = nullptr;  ///< in the shared memory; null: none
};

/// A thread that reports four times a second, as long as this lives, that the rank's process lives.
class Heartbeat {
 public:
  /// board outlives it.
  Heartbeat(RankStatusBoard& board, int rank);

 private:
  std::jthread thread_;
};

}  // namespace letterpress
