#include "trainer/commands/verified_export.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "letterpress/models/onnx_metadata.h"
#include "letterpress/shards/store.h"
#include "trainer/detection/detection.h"
#include "trainer/parity/certify.h"
#include "trainer/parity/golden_pictures.h"
#include "trainer/parity/int8.h"
#include "trainer/parity/python_program.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

fs::path copy_in(const Workplace& workplace) { return workplace / "checkpoint.safetensors"; }

// The store of the training where it is still there.
fs::path store_of_training(const CheckpointInfo& info) {
  const nlohmann::json given = nlohmann::json::parse(info.configuration_json, nullptr, false);
  if (!given.is_object() || !given.contains("store") || !given["store"].is_string()) return {};
  const fs::path store = given["store"].get<std::string>();
  try {
    if (Store::is_at(store)) return store;
  } catch (const Error&) {  // a server that is down: as if it were gone
  }
  return {};
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
  if (checkpoint.info.tiles) {  // each of a picture's tiles may have as many
    options.most = std::numeric_limits<std::size_t>::max();
    return options;
  }
  if (wanted.onnx.output != OnnxOutput::detections) return options;
  const auto in_file = static_cast<std::size_t>(wanted.onnx.max_detections);
  if (wanted.onnx.agnostic)
    options.most = std::min(options.most, in_file);
  else
    options.most_of_class = in_file;
  return options;
}

fs::path weights_of(const fs::path& xml) { return fs::path(xml).replace_extension(".bin"); }

// The certificate of a model whose weights are in a file of their own names that, too.
std::string with_weights(const std::string& certificate, const fs::path& weights) {
  if (!fs::exists(weights)) return certificate;
  auto named = nlohmann::ordered_json::parse(certificate);
  named["weights_digest"] = hash_file(weights).hex();
  return named.dump(1) + "\n";
}

// What is there in full, under its new name.
struct Copied {
  Copied(const std::string& content, const fs::path& out) : file(folder_of(out)), name(out) {
    file.write_at(0, std::as_bytes(std::span(content)), name);
  }
  TemporaryFile file;
  fs::path name;
};

// The certificate first: with other files' digests it says nothing of these. The .xml last: it
// reads the .bin.
std::vector<fs::path> publish(const fs::path& model, const std::string& certificate,
                              const fs::path& out) {
  std::vector<Copied> copies;
  if (certificate.empty()) {
    remove_certificate(out);
  } else {
    copies.emplace_back(with_weights(certificate, weights_of(model)), certificate_of(out));
  }
  if (fs::exists(weights_of(model)))
    copies.emplace_back(read_file(weights_of(model)), weights_of(out));
  copies.emplace_back(read_file(model), out);
  std::vector<fs::path> files;
  for (Copied& copy : copies) {
    copy.file.replace(copy.name);
    files.insert(files.begin(), copy.name);
  }
  return files;
}

// In OpenVINO's format; none when `stop` was asked for.
std::optional<fs::path> converted(const fs::path& onnx, const std::string& python,
                                  const Workplace& workplace, const StopRequest& stop) {
  const fs::path xml = workplace / "model.xml";
  const auto ran = run_python({.python = python,
                               .name = "convert.py",
                               .words = {onnx.string(), xml.string()},
                               .flag = "--to openvino",
                               .packages = "openvino",
                               .otherwise = "export --to onnx, which OpenVINO reads too"},
                              workplace, stop);
  return ran ? std::optional(xml) : std::nullopt;
}

Int8Options int8_options(const VerifiedExport& wanted, const Checkpoint& checkpoint,
                         const ExporterEntry& exporter) {
  const fs::path store = wanted.store.empty() ? store_of_training(checkpoint.info) : wanted.store;
  if (store.empty())
    throw Error({.where = "--int8",
                 .what = "needs rows to be calibrated and measured with, and the training's store "
                         "is not there any more",
                 .fix = "name one by --store"},
                Exit::no_input);
  return {.store = store,
          .python = wanted.python,
          .runtime = exporter.converted_by_openvino ? "openvino" : "onnxruntime",
          .side = checkpoint.info.graph.side,
          .classes = checkpoint.info.classes,
          .confidence = wanted.onnx.confidence,
          .max_recall_loss = wanted.max_recall_loss};
}

std::optional<Tiling> tiling_of(const CheckpointInfo& info) {
  const std::optional<TileRule> rule = tiles_of_frames(info);
  return rule ? std::optional(Tiling{info.graph.side, *rule}) : std::nullopt;
}

std::optional<std::string> compared(const VerifiedExport& wanted, const Checkpoint& checkpoint,
                                    const fs::path& model, const Workplace& workplace,
                                    const StopRequest& stop) {
  std::string note;
  const GoldenPictures golden =
      choose_golden_pictures({.named = wanted.store,
                              .guessed = store_of_training(checkpoint.info),
                              .tiling = tiling_of(checkpoint.info)},
                             workplace.path(), note);
  if (!note.empty()) std::cerr << note << "\n";
  CertifyOptions options = certification(wanted, checkpoint);
  options.checkpoint = copy_in(workplace);
  options.model = model;
  return certify(options, golden, workplace, stop);
}

}  // namespace

fs::path certificate_of(const fs::path& exported) { return fs::path(exported) += ".parity.json"; }

void remove_certificate(const fs::path& exported) {
  const fs::path old = certificate_of(exported);
  if (!fs::is_regular_file(old)) return;
  remove_file(old);
  std::cerr << old.string() << " was of the file before and is removed\n";
}

std::optional<Error> obstacle_to_verification(const OnnxOptions& onnx, const CheckpointInfo* info,
                                              const std::string& flag) {
  const auto because = [&](const std::string& what, const std::string& fix, Exit exit) {
    return Error({.where = flag, .what = what, .fix = fix}, exit);
  };
  if (onnx.output == OnnxOutput::raw)
    return because("compares detections, and raw outputs are not even boxes",
                   "export another --output, or leave it out", Exit::usage);
  if (onnx.batch > 1)
    return because(
        "gives the file one picture at a time, and --batch is " + std::to_string(onnx.batch),
        "leave --batch out", Exit::usage);
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
    throw renamed(failure, copy, source);
  }
}

namespace {

fs::path write_model(const ExporterEntry& exporter, const Checkpoint& checkpoint,
                     const VerifiedExport& wanted, const Workplace& workplace) {
  const fs::path file = workplace / "model.onnx";
  try {
    return exporter.write(checkpoint, file, wanted.onnx).front();
  } catch (const Error& failure) {
    throw renamed(failure, file, wanted.out);
  }
}

}  // namespace

std::vector<fs::path> write_verified(const ExporterEntry& exporter, const Checkpoint& checkpoint,
                                     const VerifiedExport& wanted, const Workplace& workplace,
                                     const StopRequest& stop) {
  for (const auto& [asked, flag] :
       {std::pair{!wanted.runtime.empty(), "--verify"}, {wanted.int8, "--int8"}}) {
    const auto obstacle = obstacle_to_verification(wanted.onnx, &checkpoint.info, flag);
    if (asked && obstacle) throw *obstacle;
  }
  std::optional<Int8Options> int8;
  if (wanted.int8) int8 = int8_options(wanted, checkpoint, exporter);
  std::optional<fs::path> model = write_model(exporter, checkpoint, wanted, workplace);
  if (int8) {
    int8->model = *model;
    int8->checkpoint = copy_in(workplace);
    model = quantised(*int8, workplace, stop);
    if (model) replace_file(*model, with_digest(read_file(*model)));  // the quantiser leaves it out
  }
  if (model && exporter.converted_by_openvino)
    model = converted(*model, wanted.python, workplace, stop);
  if (!model) return {};
  std::string certificate;
  if (int8) {
    const auto cost = measured(*int8, *model, workplace, stop);
    if (!cost) return {};
    std::cerr << cost->line << "\n";
    certificate = cost->text;
  } else if (!wanted.runtime.empty()) {
    const auto same = compared(wanted, checkpoint, *model, workplace, stop);
    if (!same) return {};
    certificate = *same;
  }
  if (stop) return {};
  return publish(*model, certificate, wanted.out);
}

}  // namespace letterpress
