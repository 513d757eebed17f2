#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "letterpress/shards/letterbox.h"
#include "trainer/detection/detection.h"

namespace letterpress {

struct PredictorOptions {
  DetectionOptions detection{.confidence = 0.25F};
  std::string device = "auto";     ///< auto, cpu, cuda or cuda:N
  std::string precision = "fp32";  ///< fp32 or bf16
  int threads = 0;                 ///< CPU threads; 0: all cores
};

/// A trained model that finds objects in frames. One thread.
class Predictor {
 public:
  /// Throws Error when the file is no checkpoint or the device is not there.
  Predictor(const std::filesystem::path& checkpoint, const PredictorOptions& options);
  ~Predictor();

  const LetterboxRule& letterbox() const;  ///< what frames must have been made with
  int side() const;                        ///< pixels of a frame
  const std::vector<std::string>& classes() const;

  /// frame: uint8 [side, side, 3] RGB. Result in pixels of the frame, best first.
  std::vector<Detection> predict(std::span<const std::uint8_t> frame);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
