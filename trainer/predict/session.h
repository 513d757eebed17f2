#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
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

/// What was done, and how long the model took of it.
struct SessionCounts {
  std::int64_t predicted = 0, detections = 0, rejected = 0, labelled = 0;
  double model_s = 0;
};

/// Decodes pictures, predicts a batch of them at a time, draws and hands on what was found. One
/// thread.
class Session {
 public:
  /// Throws Error as Predictor does.
  explicit Session(const SessionOptions& options);
  ~Session();

  /// Takes a picture in; the batch is predicted when it is full. Answers why the picture cannot be
  /// used, if so.
  std::optional<Reject> add(const PictureInput& picture);
  /// Predicts what is left of a batch and writes what is of all pictures together. Answers the file
  /// or folder to show.
  std::filesystem::path finish();
  const SessionCounts& counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
