#include "trainer/commands/verified_export.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>

#include "letterpress/base/file.h"
#include "trainer/detection/detection.h"
#include "trainer/parity/certify.h"
#include "trainer/parity/golden_pictures.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

fs::path copy_in(const Workplace& workplace) { return workplace / "checkpoint.safetensors"; }

// The store of the training where it is still there.
fs::path store_of_training(const CheckpointInfo& info) {
  const nlohmann::json given = nlohmann::json::parse(info.configuration_json, nullptr, false);
  if (!given.is_object() || !given.contains("store") || !given["store"].is_string()) return {};
  const fs::path store = given["store"].get<std::string>();
  std::error_code ignored;
  return fs::exists(store / "FORMAT", ignored) ? store : fs::path();
}

CertifyOptions certification(const VerifiedExport& wanted, const Checkpoint& checkpoint) {
  CertifyOptions options{.runtime = wanted.runtime,
                         .python = wanted.python,
                         .classes = checkpoint.info.classes,
                         .confidence = wanted.onnx.confidence,
                         .iou = wanted.onnx.iou,
                         .suppression = wanted.onnx.agnostic ? "agnostic" : "class",
                         .most = static_cast<std::size_t>(DetectionOptions().max_detections),
                         .half = wanted.onnx.half};
  if (wanted.onnx.output != OnnxOutput::detections) return options;
  const auto in_file = static_cast<std::size_t>(wanted.onnx.max_detections);
  if (wanted.onnx.agnostic)
    options.most = std::min(options.most, in_file);
  else
    options.most_of_class = in_file;
  return options;
}

// The certificate first: with another file's digest it says nothing of that.
void publish(const fs::path& model, const std::string& certificate, const fs::path& out) {
  const fs::path folder = out.has_parent_path() ? out.parent_path() : fs::path("."),
                 name = certificate_of(out);
  TemporaryFile new_model(folder), new_certificate(folder);
  const std::string content = read_file(model);
  new_model.write_at(0, std::as_bytes(std::span(content)), out);
  new_certificate.write_at(0, std::as_bytes(std::span(certificate)), name);
  new_certificate.replace(name);
  new_model.replace(out);
}

}  // namespace

fs::path certificate_of(const fs::path& exported) { return fs::path(exported) += ".parity.json"; }

std::optional<Error> obstacle_to_verification(const OnnxOptions& onnx, const CheckpointInfo* info) {
  const auto because = [](const std::string& what, const std::string& fix, Exit exit) {
    return Error({.where = "--verify", .what = what, .fix = fix}, exit);
  };
  if (onnx.output == OnnxOutput::raw)
    return because("compares detections, and raw outputs are not even boxes",
                   "export another --output, or leave it out", Exit::usage);
  if (onnx.batch > 1)
    return because(
        "gives the file one picture at a time, and --batch is " + std::to_string(onnx.batch),
        "leave --batch out", Exit::usage);
  if (info && info->tiles)
    return because("compares whole pictures, and the checkpoint is of tiles of them",
                   "leave it out", Exit::configuration);
  if (info && is_classifier(info->graph))
    return because("compares detections, and the checkpoint is of a classifier", "leave it out",
                   Exit::configuration);
  return std::nullopt;
}

Checkpoint read_copy(const fs::path& source, const Workplace& workplace) {
  const fs::path copy = copy_in(workplace);
  replace_file(copy, read_file(source));
  try {
    return read_checkpoint(copy, true);
  } catch (const Error& failure) {
    Message message = failure.message();
    if (message.where.starts_with(copy.string()))
      message.where.replace(0, copy.string().size(), source.string());
    throw Error(message, failure.exit());
  }
}

std::vector<fs::path> write_verified(const ExporterEntry& exporter, const Checkpoint& checkpoint,
                                     const VerifiedExport& wanted, const Workplace& workplace,
                                     const StopRequest& stop) {
  if (const auto obstacle = obstacle_to_verification(wanted.onnx, &checkpoint.info))
    throw *obstacle;
  std::string note;
  const GoldenPictures golden =
      choose_golden_pictures({.named = wanted.store, .guessed = store_of_training(checkpoint.info)},
                             workplace.folder(), note);
  if (!note.empty()) std::cerr << note << "\n";
  CertifyOptions options = certification(wanted, checkpoint);
  options.checkpoint = copy_in(workplace);
  options.model = exporter.write(checkpoint, workplace / "model.onnx", wanted.onnx).front();
  const auto certificate = certify(options, golden, workplace, stop);
  if (!certificate || stop) return {};
  publish(options.model, *certificate, wanted.out);
  return {wanted.out, certificate_of(wanted.out)};
}

}  // namespace letterpress
