#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
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
  const OutputFormatEntry* format = nullptr;
};

/// Counts, and how long the model computed, beside the rest.
struct SessionCounts {
  std::int64_t predicted = 0, tiles = 0, detections = 0, rejected = 0, labelled = 0;
  double model_s = 0;
};

/// Decodes pictures, predicts a batch at a time, draws and writes what was found. A batch is
/// predicted while the next one is decoded and what was found before is drawn. A checkpoint of
/// tiles gets the tiles of each picture, cut as the build cut them, in full batches over all
/// pictures; what they show is merged. One thread, beside which another one predicts.
class Session {
 public:
  /// Throws Error as Predictor does.
  explicit Session(const SessionOptions& options);
  ~Session();

  /// Adds a picture, and predicts the batch when it is full. Returns why the picture cannot be
  /// used, if so.
  std::optional<Reject> add(const PictureInput& picture);
  /// Predicts the rest of the batch and writes what belongs to all pictures together. Returns the
  /// file or folder to show.
  std::filesystem::path finish();
  const SessionCounts& counts() const;
  std::optional<Promised> promised() const;  ///< as Predictor's
  const std::vector<std::string>& classes() const;
  std::string engine() const;                ///< as Predictor's

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
