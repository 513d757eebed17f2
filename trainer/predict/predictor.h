#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "letterpress/shards/letterbox.h"
#include "letterpress/shards/tiles.h"
#include "trainer/checkpoint/promised.h"
#include "trainer/detection/detection.h"
#include "trainer/predict/predictor_options.h"

namespace letterpress {

/// A trained model that finds objects in frames. As many threads as it has lanes.
class Predictor {
 public:
  /// Throws Error as read_model_file(), check_can_compute() and make_engine() do, when the device
  /// does not exist, or an option is invalid.
  Predictor(const std::filesystem::path& file, const PredictorOptions& options);
  ~Predictor();

  const LetterboxRule& letterbox() const;  ///< that frames must be made with
  std::optional<TileRule> tiles() const;   ///< that frames show; none: whole pictures
  int side() const;                        ///< pixels of a frame
  std::string engine() const;              ///< that computes: "torch", "openvino 2026.4.1"
  std::string note() const;                ///< why it is not the faster one; may be empty
  int lanes() const;                       ///< threads that may call predict() at once
  const std::vector<std::string>& classes() const;
  /// What suppress() and merge_tiles() get: the options', with a confidence for each class.
  const DetectionOptions& detection() const;
  /// The file's promise, whose confidence counts unless the options name another.
  std::optional<Promised> promised() const;
  /// The flag by which other detections stay than those that it was measured with; else empty.
  std::string breaks_promise() const;

  /// frames: uint8 [n, side, side, 3] RGB, n from 1 to options.batch. Result per frame, in its
  /// pixels, best first.
  std::vector<std::vector<Detection>> predict(std::span<const std::uint8_t> frames);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
