#pragma once
#include <string>

#include "letterpress/models/graph.h"
#include "trainer/device/device.h"
#include "trainer/fit/step/run_model.h"

namespace letterpress {

/// A model of 3 classes on one device, and one batch of 2 pictures with a box and a class each, to
/// step with.
class WholeStep {
 public:
  WholeStep(const std::string& model, const std::string& precision, torch::Device device,
            const std::string& cuda_graph = "off")
      : model_(make_model(model, {.classes = 3, .side = kSide}),
               {.precision = precision, .cuda_graph = cuda_graph}, device) {
    const torch::TensorOptions there = torch::TensorOptions(torch::kFloat).device(device);
    batch_.images = torch::linspace(0, 1, 2 * 3 * kSide * kSide, there)
                        .view({2, 3, kSide, kSide})
                        .to(arithmetic_type(precision, device))
                        .contiguous(torch::MemoryFormat::ChannelsLast);
    batch_.boxes =
        torch::tensor({4.f, 6.f, 20.f, 28.f, 0.f}, there).view({1, 1, 5}).repeat({2, 1, 1});
    batch_.flags = torch::zeros({2, 1}, there.dtype(torch::kByte));
    batch_.label = torch::ones({2}, there.dtype(torch::kLong));
    batch_.weight = torch::ones({2}, there);
  }

  /// One optimiser step.
  void operator()() {
    model_.step().accumulate(batch_);
    totals_ = model_.step().update(0.001);
  }
  const torch::Tensor& totals() const {
    return totals_;
  }  ///< of the last step, as TrainingStep::update()
  RunModel& model() { return model_; }
  const Batch& batch() const { return batch_; }

 private:
  static constexpr int kSide = 64;
  RunModel model_;
  Batch batch_;
  torch::Tensor totals_;
};

}  // namespace letterpress
