#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/commandline/program.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/checkpoint/promised.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/detection/detection.h"
#include "trainer/exchange/exporter.h"
#include "trainer/parity/certify.h"

namespace letterpress {
namespace {

struct ExportFlags {
  std::filesystem::path checkpoint, store;
  std::string out, to, output = "decoded", suppression, verify, python = CertifyOptions().python;
  OnnxOptions onnx;
  bool json = false;
};

const std::vector<std::string> kOutputs{"raw", "decoded", "detections",
                                        "ultralytics"};  // OnnxOutput

OnnxOutput output_named(const std::string& name) {
  const auto place = std::ranges::find(kOutputs, name);
  if (place == kOutputs.end())
    throw Error({.where = "--output", .what = unknown_name("output", name, kOutputs)}, Exit::usage);
  return static_cast<OnnxOutput>(place - kOutputs.begin());
}

bool writes_detections(const ExportFlags& flags) {
  return flags.to == "onnx" && output_named(flags.output) == OnnxOutput::detections;
}

// They would do nothing.
void refuse_without_use(const ExportFlags& flags, const std::set<std::string>& given) {
  for (const char* flag : {"output", "batch", "half", "verify", "store", "python"}) {
    if (flags.to == "onnx" || !given.contains(flag)) continue;
    throw Error({.what = std::string("--") + flag + " is of ONNX files, --to " + flags.to +
                         " has no place for it",
                 .fix = "leave it out"},
                Exit::usage);
  }
  for (const char* flag : {"conf", "iou", "max-detections"}) {
    if (writes_detections(flags) || !given.contains(flag)) continue;
    throw Error({.what = std::string("--") + flag +
                         " says how boxes become detections, which only --to onnx --output "
                         "detections writes",
                 .fix = "leave it out"},
                Exit::usage);
  }
}

// ONNX's one operator of this kind drops whole boxes by their intersection over union: no lowered
// scores, no distances.
bool is_agnostic(const ExportFlags& flags) {
  if (flags.suppression.empty()) return false;
  validate(DetectionOptions{.suppression = flags.suppression});
  if (!writes_detections(flags)) {
    throw Error({.what = "--nms " + flags.suppression +
                         " says how boxes become detections, which only --to onnx --output "
                         "detections writes",
                 .fix = "leave it out"},
                Exit::usage);
  }
  if (flags.suppression != "class" && flags.suppression != "agnostic") {
    throw Error({.where = "--nms " + flags.suppression,
                 .what = "ONNX has no operator for it, only class and agnostic can be exported",
                 .fix = "export --output decoded and suppress its boxes where they are used"},
                Exit::usage);
  }
  return flags.suppression == "agnostic";
}

// What cannot be compared, before anything is written.
void check_verification(const ExportFlags& flags, const std::set<std::string>& given) {
  for (const char* flag : {"store", "python"}) {
    if (!flags.verify.empty() || !given.contains(flag)) continue;
    throw Error({.what = std::string("--") + flag + " says how --verify compares",
                 .fix = "give --verify too, or leave it out"},
                Exit::usage);
  }
  if (flags.verify.empty()) return;
  check_runtime(flags.verify);
  if (output_named(flags.output) == OnnxOutput::raw)
    throw Error({.where = "--verify",
                 .what = "compares detections, and raw outputs are not even boxes",
                 .fix = "export another --output, or leave it out"},
                Exit::usage);
  if (flags.onnx.batch > 1)
    throw Error({.where = "--verify",
                 .what = "gives the file one picture at a time, and --batch is " +
                         std::to_string(flags.onnx.batch),
                 .fix = "leave --batch out"},
                Exit::usage);
}

void check_is_whole(const CheckpointInfo& info) {
  if (!info.tiles) return;
  throw Error({.where = "--verify",
               .what = "compares whole pictures, and the checkpoint is of tiles of them",
               .fix = "leave it out"},
              Exit::configuration);
}

// The store that was named, else that of the training where it is still there.
std::filesystem::path store_of(const ExportFlags& flags, const CheckpointInfo& info) {
  if (!flags.store.empty()) return flags.store;
  const nlohmann::json given = nlohmann::json::parse(info.configuration_json, nullptr, false);
  if (!given.is_object() || !given.contains("store") || !given["store"].is_string()) return {};
  const std::filesystem::path store = given["store"].get<std::string>();
  return std::filesystem::exists(store / "FORMAT") ? store : std::filesystem::path();
}

CertifyOptions certification(const ExportFlags& flags, const Checkpoint& checkpoint) {
  return {.checkpoint = find_checkpoint(flags.checkpoint, "checkpoint"),
          .store = store_of(flags, checkpoint.info),
          .runtime = flags.verify,
          .python = flags.python,
          .classes = checkpoint.info.classes,
          .confidence = flags.onnx.confidence,
          .iou = flags.onnx.iou,
          .suppression = flags.onnx.agnostic ? "agnostic" : "class",
          .most = static_cast<std::size_t>(DetectionOptions().max_detections),
          .half = flags.onnx.half};
}

// The file gets its name when it has its certificate.
std::vector<std::filesystem::path> write_verified(const ExporterEntry& exporter,
                                                  const Checkpoint& checkpoint,
                                                  const ExportFlags& flags) {
  check_is_whole(checkpoint.info);
  const std::filesystem::path out = flags.out,
                              certificate =
                                  std::filesystem::path(out).replace_extension(".parity.json"),
                              folder = make_unique_folder(std::filesystem::temp_directory_path(),
                                                          "letterpress-export-");
  try {
    CertifyOptions options = certification(flags, checkpoint);
    options.model = exporter.write(checkpoint, folder / out.filename(), flags.onnx).front();
    const std::string text = certify(options);
    replace_file(out, read_file(options.model));
    replace_file(certificate, text);
  } catch (...) {
    discard_folder(folder);
    throw;
  }
  discard_folder(folder);
  return {out, certificate};
}

bool can_be_verified(const ExportFlags& flags, const CheckpointInfo& info) {
  return flags.to == "onnx" && flags.onnx.output != OnnxOutput::raw && !info.tiles;
}

std::vector<std::filesystem::path> write_files(const ExporterEntry& exporter,
                                               const Checkpoint& checkpoint,
                                               const ExportFlags& flags) {
  if (!flags.verify.empty()) return write_verified(exporter, checkpoint, flags);
  const auto files = exporter.write(checkpoint, flags.out, flags.onnx);
  if (can_be_verified(flags, checkpoint.info))
    std::cerr << "not compared with predict; --verify onnxruntime does that on 64 pictures\n";
  return files;
}

int run_export(ExportFlags flags, bool has_confidence) {
  const ExporterEntry& exporter = find_exporter(flags.to);
  flags.onnx.output = output_named(flags.output);
  flags.onnx.agnostic = is_agnostic(flags);
  check_output_file("--out", flags.out, "a file");
  const std::filesystem::path source = find_checkpoint(flags.checkpoint, "checkpoint");
  if (const std::string note = note_on_found(flags.checkpoint, source); !note.empty())
    std::cerr << note << "\n";
  if (std::filesystem::weakly_canonical(source) == std::filesystem::weakly_canonical(flags.out)) {
    throw Error({.where = "--out " + flags.out,
                 .what = "is the checkpoint that is exported",
                 .fix = "name another file"},
                Exit::cannot_create);
  }
  const Checkpoint checkpoint = read_checkpoint(source, true);
  const auto promised = promised_of(checkpoint.info);
  if (promised && !has_confidence)
    flags.onnx.confidence = static_cast<float>(promised->confidence);  // as predict
  nlohmann::json files = nlohmann::json::array();
  for (const std::filesystem::path& file : write_files(exporter, checkpoint, flags)) {
    std::cout << file.string() << "\n";
    files.push_back(file.string());
  }
  if (flags.json)
    std::cout << nlohmann::json{{"files", files}, {"model", checkpoint.info.graph.model}}.dump()
              << "\n";
  return 0;
}

std::string export_formats() {
  std::string text;
  for (const ExporterEntry* entry : exporter_entries())
    text += std::string(text.empty() ? "" : "; ") + entry->name + ": " + entry->help;
  return text;
}

FlagTable<ExportFlags> export_flags() {
  using F = Flag<ExportFlags>;
  const auto of = [](auto option) { return member(&ExportFlags::onnx, option); };
  return FlagTable<ExportFlags>().add(
      {checkpoint_flag<ExportFlags>().required(),
       F("to", &ExportFlags::to, export_formats()).required(),
       F("out", &ExportFlags::out, "the file to write; darknet: its extension is replaced")
           .required(),
       F("output", &ExportFlags::output,
         "onnx: raw (logits of each head), decoded (boxes and scores), detections (after "
         "suppression) or ultralytics (as its own exports, for YOLO('model.onnx'))")
           .check([](const ExportFlags& flags) { output_named(flags.output); }),
       F("batch", of(&OnnxOptions::batch), "onnx: pictures at once; 0: any number")
           .at_least(0, "0 (any number) or more"),
       F("half", of(&OnnxOptions::half),
         "onnx: float16 inside, half the size; input and outputs stay float32"),
       F("conf", of(&OnnxOptions::confidence),
         "onnx detections: lower scores are left out; none given: what `eval --promise` kept in "
         "the "
         "checkpoint, else 0.25")
           .must_be("0 or more and under 1",
                    [](const ExportFlags& flags) {
                      return flags.onnx.confidence >= 0 && flags.onnx.confidence < 1;
                    }),
       F("iou", of(&OnnxOptions::iou),
         "onnx detections: overlap above which the lower score is dropped")
           .must_be(
               "over 0 and at most 1",
               [](const ExportFlags& flags) { return flags.onnx.iou > 0 && flags.onnx.iou <= 1; }),
       F("max-detections", of(&OnnxOptions::max_detections),
         "onnx detections: per picture and class, or per picture when agnostic")
           .at_least(1),
       F("nms", &ExportFlags::suppression,
         "onnx detections: class (each class by itself) or agnostic (all together); none given: "
         "class"),
       F("verify", &ExportFlags::verify,
         "onnx: runs the file on 64 pictures and writes OUT.parity.json beside it if the "
         "detections are predict's, else neither (exit 65): onnxruntime, openvino, or the path of "
         "a program of yours"),
       F("store", &ExportFlags::store,
         "whose val pictures --verify looks at; none given: the training's, where its pictures "
         "are still there, else pictures are drawn"),
       F("python", &ExportFlags::python, "that has the runtime of --verify, numpy and Pillow"),
       json_flag<ExportFlags>()});
}

}  // namespace

Command export_command() {
  const FlagTable<ExportFlags> table = export_flags();
  return command("export", "a checkpoint as ONNX or Darknet files", table,
                 [table](const Given<ExportFlags>& given) {
                   find_exporter(given.options.to);
                   refuse_without_use(given.options, given.names);
                   table.check(given.options);
                   check_verification(given.options, given.names);
                   try {
                     return run_export(given.options, given.names.contains("conf"));
                   } catch (const Error&) {
                     // What --verify runs is stopped by the same signal, and that is no failure.
                     const StopRequest& stop = stop_by_signal();
                     if (stop) return 128 + stop.signal();
                     throw;
                   }
                 });
}

}  // namespace letterpress
