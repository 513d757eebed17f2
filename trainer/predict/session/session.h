#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "letterpress/base/reject.h"
#include "letterpress/base/stop_request.h"
#include "preprocess/pictures/picture.h"
#include "trainer/predict/output_format.h"
#include "trainer/predict/predictor.h"

namespace letterpress {

struct SessionOptions {
  std::filesystem::path checkpoint{}, out{};
  PredictorOptions predictor{};
  PictureLimits limits{};
  bool draw = true;        ///< a PNG per picture with its boxes, in `out`
  bool overwrite = false;  ///< as OutputOptions'
  /// Adds what is found in the whole picture, shrunk into one frame, to what its tiles show, where
  /// it is longer than their overlap.
  bool whole_picture = false;
  const OutputFormatEntry* format = nullptr;
  std::filesystem::path frames{};  ///< a file for what the network is given; empty: none
};

/// Frames of a batch. No more than there are pictures, where each has one: a batch has memory for
/// all of its frames.
std::size_t frames_at_once(int batch, std::size_t pictures, bool tiled);

/// Counts, and how long it took.
struct SessionCounts {
  std::int64_t predicted = 0, tiles = 0, detections = 0, rejected = 0, labelled = 0;
  double load_s = 0;   ///< until the model could compute
  double run_s = 0;    ///< after that, until all was written
  double model_s = 0;  ///< of run_s, while the model computed
};

/// Is told of each input, in order: why it cannot be used, if so.
using InputListener = std::function<void(const std::optional<Reject>&)>;

/// Decodes pictures, predicts them a batch at a time, draws and writes what was found. Threads that
/// decode, as many as the predictor has, are ahead of the model by two batches at most; as many
/// threads draw what it has found. What is written does not depend on how many they are. A
/// checkpoint of tiles gets the tiles of each picture, cut as the build cut them, in full batches
/// over all pictures; what they show is merged. One thread.
class Session {
 public:
  /// Throws Error as Predictor does, and (configuration) for whole_picture without tiles.
  explicit Session(const SessionOptions& options);
  ~Session();

  /// Predicts the inputs, once. Where `stop` is asked for, those whose last batch the model has by
  /// then, without the file of frames. Where there is none, what was found before stays as it is.
  /// Returns the file or folder to show. Throws Error when something cannot be written; what was
  /// found until then is, if it can be.
  std::filesystem::path run(const std::vector<PictureInput>& inputs, const StopRequest& stop,
                            const InputListener& done);
  const SessionCounts& counts() const;
  const Predictor& predictor() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
