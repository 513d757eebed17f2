#include "trainer/predict/predictor.h"

#include <torch/torch.h>

#include "letterpress/commandline/require_flag.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/detection/decode.h"
#include "trainer/device/device.h"
#include "trainer/device/normalise.h"

namespace letterpress {

struct Predictor::State {
  State(const Checkpoint& checkpoint, const PredictorOptions& wanted)
      : options(wanted), info(checkpoint.info), device(choose_device(wanted.device)) {
    set_up_arithmetic(device, options.threads, false);
    network = network_for_use(checkpoint, device);
    const std::int64_t side = info.graph.side;
    const auto type = options.precision == "bf16" ? torch::kBFloat16 : torch::kFloat;
    images = torch::empty({1, 3, side, side}, torch::TensorOptions(type).device(device), torch::MemoryFormat::ChannelsLast);
  }

  PredictorOptions options;
  CheckpointInfo info;
  torch::Device device;
  std::unique_ptr<Network> network;
  torch::Tensor images;
};

Predictor::Predictor(const std::filesystem::path& checkpoint, const PredictorOptions& options) {
  validate(options.detection);
  validate_precision(options.precision);
  require_flag(options.threads >= 0, "threads", options.threads, "0 (all cores) or more");
  state_ = std::make_unique<State>(read_checkpoint(checkpoint, true), options);
}

Predictor::~Predictor() = default;
const LetterboxRule& Predictor::letterbox() const { return state_->info.letterbox; }
int Predictor::side() const { return state_->info.graph.side; }
const std::vector<std::string>& Predictor::classes() const { return state_->info.classes; }

std::vector<Detection> Predictor::predict(std::span<const std::uint8_t> frame) {
  const torch::NoGradGuard no_gradient;
  const auto bytes = torch::TensorOptions(torch::kByte);
  // from_blob only reads here, whatever its signature says.
  const torch::Tensor packed = torch::from_blob(const_cast<std::uint8_t*>(frame.data()), {1, side(), side(), 3}, bytes);
  normalise(packed.to(state_->device), state_->images);
  std::vector<torch::Tensor> outputs;
  {
    const Autocast autocast(state_->device, state_->options.precision == "bf16");
    outputs = state_->network->forward(state_->images);
  }
  return suppress(decode_outputs(state_->info.graph, outputs, side()), state_->options.detection).front();
}

}  // namespace letterpress
