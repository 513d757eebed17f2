#include "trainer/predict/predictor.h"

#include <torch/torch.h>

#include "letterpress/base/error.h"
#include "trainer/checkpoint/promised.h"
#include "trainer/detection/decode.h"
#include "trainer/device/device.h"
#include "trainer/predict/engine.h"
#include "trainer/predict/thresholds.h"

namespace letterpress {

struct Predictor::State {
  State(const Checkpoint& checkpoint, const PredictorOptions& wanted)
      : options(wanted), info(checkpoint.info) {
    set_up_arithmetic(choose_device(options.device), options.threads, {});
    engine = make_engine(checkpoint, options, note);
    const auto promised = promised_of(info);
    options.detection.class_confidence = class_thresholds(
        options.confidences, info.classes, promised ? promised->confidence : kDefaultConfidence);
  }

  PredictorOptions options;
  CheckpointInfo info;
  std::string note;
  std::unique_ptr<Engine> engine;
};

Predictor::Predictor(const std::filesystem::path& checkpoint, const PredictorOptions& options) {
  validate(options.detection);
  const Checkpoint read = read_checkpoint(checkpoint, true);
  if (is_classifier(read.info.graph))
    throw Error({.where = checkpoint.string(),
                 .what = "model " + read.info.graph.model +
                         " gives whole pictures a class, predict writes boxes",
                 .fix = "`letterpress-trainer eval` measures it, `export --to onnx --output raw` "
                        "takes it to other programs"},
                Exit::configuration);
  state_ = std::make_unique<State>(read, options);
}

Predictor::~Predictor() = default;
const LetterboxRule& Predictor::letterbox() const { return state_->info.letterbox; }
std::optional<TileRule> Predictor::tiles() const { return tiles_of_frames(state_->info); }
int Predictor::side() const { return state_->info.graph.side; }
std::string Predictor::engine() const { return state_->engine->name(); }
std::string Predictor::note() const { return state_->note; }
int Predictor::lanes() const { return state_->engine->lanes(); }
std::optional<Promised> Predictor::promised() const {
  const PredictorOptions& options = state_->options;
  const bool as_measured = options.confidences.empty() &&
                           options.detection.iou == DetectionOptions().iou &&
                           options.detection.suppression == DetectionOptions().suppression;
  return as_measured ? promised_of(state_->info) : std::nullopt;
}
const std::vector<std::string>& Predictor::classes() const { return state_->info.classes; }

std::vector<std::vector<Detection>> Predictor::predict(std::span<const std::uint8_t> frames) {
  const torch::NoGradGuard no_gradient;
  const auto bytes = torch::TensorOptions(torch::kByte);
  const std::int64_t frame_bytes = std::int64_t{3} * side() * side(),
                     n = static_cast<std::int64_t>(frames.size()) / frame_bytes;
  // from_blob only reads here, despite its signature.
  const torch::Tensor packed =
      torch::from_blob(const_cast<std::uint8_t*>(frames.data()), {n, side(), side(), 3}, bytes);
  return suppress(decode_outputs(state_->info.graph, state_->engine->forward(packed), side()),
                  state_->options.detection);
}

}  // namespace letterpress
