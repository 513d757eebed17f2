#pragma once
#include <torch/types.h>

#include <optional>
#include <string>

namespace letterpress {

/// Says what a step takes of the memory before much time has gone into the run: after the first
/// step, which makes all that lives as long as the run; with --multi-scale after the first step of
/// the largest side, too; and with --cuda-graph after the first replay, whose intermediate results
/// keep their memory.
class MemoryNote {
 public:
  struct Step {
    int side = 0, largest_side = 0;  ///< pixels: the step's, and of any step
    bool has_many_sides = false;
  };
  explicit MemoryNote(torch::Device device) : device_(device) {}
  /// Speaks again after the next step, which takes more: layers thawed or a graph is replayed.
  void reset() { side_ = 0; }
  /// "memory: 512 MiB resident at most, after a step"; nothing where all was said.
  std::optional<std::string> after(const Step& step);

 private:
  torch::Device device_;
  int side_ = 0;  ///< of the step that was noted; 0: none
};

}  // namespace letterpress
