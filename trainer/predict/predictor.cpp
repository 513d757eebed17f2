#include "trainer/predict/predictor.h"

#include <torch/torch.h>

#include "trainer/detection/decode.h"
#include "trainer/device/device.h"
#include "trainer/predict/engine.h"
#include "trainer/predict/thresholds.h"

namespace letterpress {

struct Predictor::State {
  State(const ModelFile& model, const PredictorOptions& wanted) : options(wanted), use(model.use) {
    if (model.checkpoint) graph = model.checkpoint->info.graph;
    set_up_arithmetic(choose_device(options.device), options.threads, {});
    engine = make_engine(model, options, note);
    options.detection.class_confidence =
        class_thresholds(options.confidences, use.classes, use.confidence);
  }

  Candidates candidates(const torch::Tensor& packed) const {
    const std::vector<torch::Tensor> outputs = engine->forward(packed);
    return graph ? decode_outputs(*graph, outputs, use.side) : Candidates{outputs[0], outputs[1]};
  }

  PredictorOptions options;
  NetworkUse use;
  std::optional<Graph> graph;  // none: the network decodes by itself
  std::string note;
  std::unique_ptr<Engine> engine;
};

Predictor::Predictor(const std::filesystem::path& file, const PredictorOptions& options) {
  validate(options.detection);
  const ModelFile model = read_model_file(file);
  validate_engine(options, model);
  state_ = std::make_unique<State>(model, options);
}

Predictor::~Predictor() = default;
const LetterboxRule& Predictor::letterbox() const { return state_->use.letterbox; }
std::optional<TileRule> Predictor::tiles() const { return state_->use.tiles; }
int Predictor::side() const { return state_->use.side; }
std::string Predictor::engine() const { return state_->engine->name(); }
std::string Predictor::note() const { return state_->note; }
int Predictor::lanes() const { return state_->engine->lanes(); }
std::optional<Promised> Predictor::promised() const {
  const PredictorOptions& options = state_->options;
  const bool as_measured = options.confidences.empty() &&
                           options.detection.iou == DetectionOptions().iou &&
                           options.detection.suppression == DetectionOptions().suppression;
  return as_measured ? state_->use.promised : std::nullopt;
}
const std::vector<std::string>& Predictor::classes() const { return state_->use.classes; }

std::vector<std::vector<Detection>> Predictor::predict(std::span<const std::uint8_t> frames) {
  const torch::NoGradGuard no_gradient;
  const auto bytes = torch::TensorOptions(torch::kByte);
  const std::int64_t frame_bytes = std::int64_t{3} * side() * side(),
                     n = static_cast<std::int64_t>(frames.size()) / frame_bytes;
  // from_blob only reads here, despite its signature.
  const torch::Tensor packed =
      torch::from_blob(const_cast<std::uint8_t*>(frames.data()), {n, side(), side(), 3}, bytes);
  return suppress(state_->candidates(packed), state_->options.detection);
}

}  // namespace letterpress
