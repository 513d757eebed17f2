#pragma once
#include <cstdint>
#include <thread>

namespace letterpress {

/// What a rank does, as far as the others are concerned.
enum class Doing : std::int64_t {
  nothing,  ///< it has shown nothing yet
  working,  ///< on a step: the others will need it soon
  waiting,  ///< for the others
  busy,     ///< with what may take long: starting, a run's first step, a checkpoint
};

/// What a rank shows of itself.
struct RankSign {
  std::int64_t step = -1;  ///< -1: before its first
  Doing doing = Doing::nothing;
  double since_s = 0;    ///< seconds since it began that, or since its last sign in the midst of it
  double silent_s = 0;   ///< seconds since its process has shown that it lives
  double longest_s = 0;  ///< of its spells of work so far
};

/// A line per rank in memory that the supervisor of local ranks shares with them, so that the step
/// of a rank that was killed is known, and a rank that hangs is noticed. A rank without a
/// supervisor writes into the void. Thread-safe.
class StepBoard {
 public:
  /// Supervisor's: a new board. Throws Error (io) when there is no memory.
  explicit StepBoard(int ranks);
  /// A rank's: the board behind `descriptor`, which the supervisor left open for it; -1: none.
  StepBoard(int descriptor, int ranks);
  ~StepBoard();
  StepBoard(const StepBoard&) = delete;
  StepBoard& operator=(const StepBoard&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  bool is_shared() const noexcept { return lines_ != nullptr; }
  void write(int rank, std::int64_t step) noexcept;
  Doing show(int rank, Doing doing) noexcept;  ///< answers what it did before
  void tick(int rank) noexcept;                ///< a sign in the midst of what it does
  void live(int rank) noexcept;                ///< its process lives
  RankSign read(int rank) const noexcept;

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
  Heartbeat(StepBoard& board, int rank);

 private:
  std::jthread thread_;
};

}  // namespace letterpress
