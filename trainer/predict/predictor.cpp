#include "trainer/predict/predictor.h"

#include <torch/types.h>

#include "trainer/detection/merge_tiles.h"
#include "trainer/device/device.h"
#include "trainer/predict/engine.h"
#include "trainer/predict/thresholds.h"

namespace letterpress {

struct Predictor::State {
  State(const ModelFile& model, const PredictorOptions& wanted) : options(wanted), use(model.use) {
    check_can_compute(model, options);
    const torch::Device device = model.is_export() ? torch::kCPU : choose_device(options.device);
    set_up_arithmetic(device, options.threads, {});
    engine = make_engine(model, options, note);
    options.detection.class_confidence =
        class_thresholds(options.confidences, use.classes, use.confidence);
  }

  PredictorOptions options;
  NetworkUse use;
  std::string note;
  std::unique_ptr<Engine> engine;
};

Predictor::Predictor(const std::filesystem::path& file, const PredictorOptions& options) {
  validate(options.detection);
  state_ = std::make_unique<State>(read_model_file(file), options);
}

Predictor::~Predictor() = default;
const LetterboxRule& Predictor::letterbox() const { return state_->use.letterbox; }
std::optional<TileRule> Predictor::tiles() const { return state_->use.tiles; }
int Predictor::side() const { return state_->use.side; }
std::string Predictor::engine() const { return state_->engine->name(); }
std::string Predictor::note() const { return state_->note; }
int Predictor::lanes() const { return state_->engine->lanes(); }
std::optional<Promised> Predictor::promised() const {
  return state_->options.confidences.empty() ? state_->use.promised : std::nullopt;
}
std::string Predictor::breaks_promise() const {
  const DetectionOptions &wanted = state_->options.detection, measured;
  if (wanted.suppression != measured.suppression) return "--nms " + wanted.suppression;
  return wanted.iou != measured.iou ? "--iou" : "";
}
const DetectionOptions& Predictor::detection() const { return state_->options.detection; }
const std::vector<std::string>& Predictor::classes() const { return state_->use.classes; }

std::vector<std::vector<Detection>> Predictor::predict(std::span<const std::uint8_t> frames) {
  const torch::NoGradGuard no_gradient;
  const auto bytes = torch::TensorOptions(torch::kByte);
  const std::int64_t frame_bytes = std::int64_t{3} * side() * side(),
                     n = static_cast<std::int64_t>(frames.size()) / frame_bytes;
  // from_blob only reads here, despite its signature.
  const torch::Tensor packed =
      torch::from_blob(const_cast<std::uint8_t*>(frames.data()), {n, side(), side(), 3}, bytes);
  Engine& engine = *state_->engine;
  const DetectionOptions& wanted = state_->options.detection;
  return suppress(engine.candidates(engine.forward(packed)),
                  tiles() ? before_merging(wanted) : wanted);
}

}  // namespace letterpress
