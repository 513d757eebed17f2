#pragma once
#include <cstdint>

namespace letterpress {

/// One number per rank in memory that the supervisor of local ranks shares with them: the step that the rank is in, so that the step
/// of a rank that was killed is known. A rank without a supervisor writes into the void.
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
  void write(int rank, std::int64_t step) noexcept;
  std::int64_t read(int rank) const noexcept;  ///< -1: nothing written yet

 private:
  void map();

  int descriptor_, ranks_;
  void* memory_ = nullptr;
};

}  // namespace letterpress
