#include "trainer/checkpoint/network_weights.h"
#include "trainer/device/device.h"
#include "trainer/device/normalise.h"
#include "trainer/predict/engine.h"

namespace letterpress {
namespace {

class TorchEngine : public Engine {
 public:
  TorchEngine(const Checkpoint& checkpoint, const PredictorOptions& options)
      : device_(choose_device(options.device)),
        type_(arithmetic_type(options.precision, device_)),
        graph_(checkpoint.info.graph),
        network_(network_for_use(checkpoint, device_)) {
    const std::int64_t side = graph_.side;
    images_ =
        torch::empty({options.batch, 3, side, side}, torch::TensorOptions(type_).device(device_),
                     torch::MemoryFormat::ChannelsLast);
  }

  std::string name() const override { return "torch"; }

  std::vector<torch::Tensor> forward(const torch::Tensor& packed) override {
    torch::Tensor images = images_.narrow(0, 0, packed.size(0));
    normalise(packed.to(device_), images);
    const Autocast autocast(device_, type_);
    return network_->forward(images);
  }

  Candidates candidates(const std::vector<torch::Tensor>& outputs) const override {
    return decode_outputs(graph_, outputs, graph_.side);
  }

 private:
  torch::Device device_;
  torch::Dtype type_;
  Graph graph_;
  std::unique_ptr<Network> network_;
  torch::Tensor images_;
};

}  // namespace

std::unique_ptr<Engine> make_torch_engine(const Checkpoint& checkpoint,
                                          const PredictorOptions& options) {
  return std::make_unique<TorchEngine>(checkpoint, options);
}

}  // namespace letterpress
