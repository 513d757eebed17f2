#pragma once
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "trainer/detection/decode.h"
#include "trainer/predict/model_file.h"
#include "trainer/predict/predictor_options.h"

namespace letterpress {

/// What computes a network's layers. As many threads as it has lanes.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  ///< "torch", "openvino 2026.4.1"
  /// How many threads may call it at once: with two, a batch is computed while the boxes of the one
  /// before are decoded.
  virtual int lanes() const { return 1; }
  /// packed: uint8 [n, side, side, 3] RGB, on the CPU, n from 1 to the batch. Result: what the
  /// network gives, for candidates().
  virtual std::vector<torch::Tensor> forward(const torch::Tensor& packed) = 0;
  virtual Candidates candidates(const std::vector<torch::Tensor>& outputs) const = 0;
};

/// PyTorch's operators, on the device that was asked for.
std::unique_ptr<Engine> make_torch_engine(const Checkpoint& checkpoint,
                                          const PredictorOptions& options);
/// OpenVINO, on the CPU. Throws Error (configuration) where it is not installed or cannot take the
/// model or the precision, or an ONNX file does not give what its metadata say.
std::unique_ptr<Engine> make_openvino_engine(const ModelFile& model,
                                             const PredictorOptions& options);

const std::vector<std::string>& engines();  ///< what options.engine may be: auto, ...
/// Throws Error (usage) when options.engine cannot be had on options.device.
void validate_engine(const PredictorOptions& options);
/// Throws Error (usage) where an ONNX file is to be computed by torch or on a GPU: OpenVINO runs
/// those, on the CPU.
void check_can_compute(const ModelFile& model, const PredictorOptions& options);
/// The engine of options.engine. auto: OpenVINO on a CPU where it can be had, else torch; then
/// note says why OpenVINO cannot be had. Of an ONNX file always OpenVINO.
std::unique_ptr<Engine> make_engine(const ModelFile& model, const PredictorOptions& options,
                                    std::string& note);

}  // namespace letterpress
