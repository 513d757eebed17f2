#pragma once
#include <cstdint>
#include <thread>

namespace letterpress {

/// What a rank does, as far as the others are concerned.
enum class RankActivity : std::int64_t {
  unreported,  ///< it has shown nothing yet
  in_step,     ///< on a step: the others will need it soon
  waiting,     ///< for the others
  long_task,   ///< with what may take long: starting, a run's first step, a checkpoint
};

/// What a rank shows of itself.
struct RankStatus {
  std::int64_t step = -1;  ///< -1: before its first
  RankActivity activity = RankActivity::unreported;
  double since_s = 0;    ///< seconds since it began that, or since its last sign in the midst of it
  double silent_s = 0;   ///< seconds since its process has shown that it lives
  double longest_s = 0;  ///< of its spells of work so far
};

/// A line per rank in memory that the supervisor of local ranks shares with them, so that the step
/// of a rank that was killed is known, and a rank that hangs is noticed. A rank without a
/// supervisor writes into the void. Thread-safe.
class RankStatusBoard {
 public:
  /// Supervisor's: a new board. Throws Error (io) when there is no memory.
  explicit RankStatusBoard(int ranks);
  /// A rank's: the board behind `descriptor`, which the supervisor left open for it; -1: none.
  RankStatusBoard(int descriptor, int ranks);
  ~RankStatusBoard();
  RankStatusBoard(const RankStatusBoard&) = delete;
  RankStatusBoard& operator=(const RankStatusBoard&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  bool is_shared() const noexcept { return lines_ != nullptr; }
  void set_step(int rank, std::int64_t step) noexcept;
  RankActivity set_activity(int rank,
                            RankActivity activity) noexcept;  ///< answers what it did before
  void report_progress(int rank) noexcept;  ///< a sign in the midst of what it does
  void report_alive(int rank) noexcept;     ///< its process lives
  RankStatus status(int rank) const noexcept;

 private:
  struct Line;
  void map();

  int descriptor_, ranks_;
  Line* lines_ = nullptr;  ///< in the shared memory; null: none
};

/// A thread that shows four times a second, as long as this lives, that the rank's process lives.
class Heartbeat {
 public:
  /// board outlives it.
  Heartbeat(RankStatusBoard& board, int rank);

 private:
  std::jthread thread_;
};

}  // namespace letterpress
