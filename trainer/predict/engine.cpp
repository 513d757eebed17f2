#include "trainer/predict/engine.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "trainer/device/device.h"

namespace letterpress {

namespace {

// OpenVINO's own reasons have several lines.
std::string note_on(const Message& obstacle) {
  const std::string reason = to_string(Message{.where = obstacle.where, .what = obstacle.what});
  return "torch computes, for OpenVINO cannot: " + reason.substr(0, reason.find('\n')) +
         "; --engine openvino says what to do, --engine torch takes it for good";
}

}  // namespace

const std::vector<std::string>& engines() {
  static const std::vector<std::string> names{"auto", "openvino", "torch"};
  return names;
}

void validate_engine(const PredictorOptions& options) {
  if (options.engine == "openvino" && options.device.starts_with("cuda"))
    throw Error({.where = "--engine openvino",
                 .what = "computes on the CPU, --device is " + options.device,
                 .fix = "use --device cpu, or --engine torch"},
                Exit::usage);
}

void check_can_compute(const ModelFile& model, const PredictorOptions& options) {
  if (!model.is_export()) return;
  const bool wants_torch = options.engine == "torch";
  if (wants_torch || options.device.starts_with("cuda"))
    throw Error({.where = wants_torch ? "--engine torch" : "--device " + options.device,
                 .what = "OpenVINO runs ONNX files, on the CPU",
                 .fix = std::string("leave ") + (wants_torch ? "--engine" : "--device") +
                        " out, or predict with the checkpoint"},
                Exit::usage);
}

std::unique_ptr<Engine> make_engine(const ModelFile& model, const PredictorOptions& options,
                                    std::string& note) {
  validate_engine(options);
  if (options.engine == "openvino" || model.is_export())
    return make_openvino_engine(model, options);
  if (options.engine == "torch" || !choose_device(options.device).is_cpu())
    return make_torch_engine(*model.checkpoint, options);
  try {
    return make_openvino_engine(model, options);
  } catch (const Error& obstacle) {
    if (obstacle.exit() != Exit::configuration) throw;
    note = note_on(obstacle.message());
    return make_torch_engine(*model.checkpoint, options);
  }
}

}  // namespace letterpress
