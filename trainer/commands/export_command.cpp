#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/registry.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/commandline/program.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/checkpoint/promised.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/commands/export_files.h"
#include "trainer/commands/verified_export.h"
#include "trainer/detection/detection_flags.h"
#include "trainer/exchange/exporter.h"
#include "trainer/exchange/onnx_description.h"
#include "trainer/parity/certify.h"
#include "trainer/parity/int8.h"

namespace letterpress {
namespace {

struct ExportFlags {
  std::filesystem::path checkpoint, store;
  std::string out, to, suppression, verify, python = CertifyOptions().python;
  OnnxOptions onnx;
  bool int8 = false, json = false;
  double max_recall_loss = Int8Options().max_recall_loss;
};

const std::vector<std::string> kOutputs{"raw", "decoded", "detections",
                                        "ultralytics"};  // by OnnxOutput

// Also inside.
bool is_onnx(const ExportFlags& flags) { return flags.to == "onnx" || flags.to == "openvino"; }

bool writes_detections(const ExportFlags& flags) {
  return is_onnx(flags) && flags.onnx.output == OnnxOutput::detections;
}

// They would do nothing.
void refuse_without_use(const ExportFlags& flags, const std::set<std::string>& given) {
  for (const char* flag :
       {"output", "batch", "half", "int8", "max-recall-loss", "verify", "store", "python"}) {
    if (is_onnx(flags) || !given.contains(flag)) continue;
    throw Error({.what = std::string("--") + flag + " is of ONNX files, --to " + flags.to +
                         " has no place for it",
                 .fix = "leave it out"},
                Exit::usage);
  }
  for (const char* flag : {"conf", "iou", "max-detections"}) {
    const bool is_measured_with = flags.int8 && flag == std::string_view("conf");
    if (writes_detections(flags) || is_measured_with || !given.contains(flag)) continue;
    throw Error({.what = std::string("--") + flag +
                         " says how boxes become detections, which only --output "
                         "detections writes" +
                         (flag == std::string_view("conf") ? ", and --int8 measures with" : ""),
                 .fix = "leave it out"},
                Exit::usage);
  }
}

// ONNX's one operator of this kind drops whole boxes by their intersection over union: no lowered
// scores, no distances.
bool is_agnostic(const ExportFlags& flags) {
  if (flags.suppression.empty()) return false;
  if (!writes_detections(flags)) {
    throw Error({.what = "--nms " + flags.suppression +
                         " says how boxes become detections, which only --output "
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

// What cannot be in int8, before anything is written.
void check_int8(const ExportFlags& flags, const std::set<std::string>& given) {
  if (!flags.int8 && given.contains("max-recall-loss"))
    throw Error({.where = "--max-recall-loss",
                 .what = "says what --int8 may cost, which is not given",
                 .fix = "give --int8 too, or leave it out"},
                Exit::usage);
  if (!flags.int8) return;
  for (const auto& [is_given, flag, reason] :
       {std::tuple{flags.onnx.half, "--half", "a layer computes in one of them"},
        {!flags.verify.empty(), "--verify",
         "scores are not predict's in int8, so that recall is measured instead"}}) {
    if (is_given)
      throw Error({.where = "--int8",
                   .what = std::string("does not go with ") + flag + ": " + reason,
                   .fix = std::string("leave ") + flag + " out"},
                  Exit::usage);
  }
  if (const auto obstacle = obstacle_to_verification(flags.onnx, nullptr, "--int8"))
    throw *obstacle;
}

// What a format or a runtime cannot do.
void check_format(const ExportFlags& flags) {
  if (flags.to == "openvino" && std::filesystem::path(flags.out).extension() != ".xml")
    throw Error({.where = "--out " + flags.out,
                 .what = "must end in .xml: OpenVINO looks for the weights in the .bin beside it",
                 .fix = "name model.xml"},
                Exit::usage);
  if (flags.to == "openvino" && !flags.verify.empty() && flags.verify != "openvino" &&
      flags.verify.find('/') == std::string::npos)
    throw Error({.where = "--verify " + flags.verify,
                 .what = "does not read OpenVINO's format",
                 .fix = "use --verify openvino"},
                Exit::usage);
  if (flags.verify == "opencv" && writes_detections(flags))
    throw Error({.where = "--verify opencv",
                 .what = "OpenCV's dnn has no operator for suppression",
                 .fix = "export --output decoded, whose boxes detect.py suppresses"},
                Exit::usage);
}

// What cannot be compared, before anything is written.
void check_verification(const ExportFlags& flags, const std::set<std::string>& given) {
  check_int8(flags, given);
  for (const char* flag : {"store", "python"}) {
    const bool converts = flags.to == "openvino" && std::string(flag) == "python";
    if (!flags.verify.empty() || flags.int8 || converts || !given.contains(flag)) continue;
    throw Error({.what = std::string("--") + flag + " says how --verify compares",
                 .fix = "give --verify too, or leave it out"},
                Exit::usage);
  }
  if (flags.verify.empty()) return;
  check_runtime(flags.verify);
  if (const auto obstacle = obstacle_to_verification(flags.onnx, nullptr)) throw *obstacle;
}

std::vector<std::filesystem::path> write_unverified(const ExporterEntry& exporter,
                                                    const Checkpoint& checkpoint,
                                                    const ExportFlags& flags) {
  const auto files = exporter.write(checkpoint, flags.out, flags.onnx);
  if (flags.to != "onnx") return files;
  remove_certificate(flags.out);
  if (!obstacle_to_verification(flags.onnx, &checkpoint.info))
    std::cerr << "not compared with predict; --verify onnxruntime does that on up to 64 pictures\n";
  return files;
}

VerifiedExport verified(const ExportFlags& flags) {
  return {.out = flags.out,
          .store = flags.store,
          .runtime = flags.verify,
          .python = flags.python,
          .onnx = flags.onnx,
          .int8 = flags.int8,
          .max_recall_loss = flags.max_recall_loss};
}

void print_files(const std::vector<std::filesystem::path>& files, const ExportFlags& flags,
                 const CheckpointInfo& info) {
  nlohmann::json names = nlohmann::json::array();
  for (const std::filesystem::path& file : files) {
    std::cout << file.string() << "\n";
    names.push_back(file.string());
  }
  if (flags.json)
    std::cout << nlohmann::json{{"files", names}, {"model", info.graph.model}}.dump(
                     -1, ' ', false, nlohmann::json::error_handler_t::replace)
              << "\n";
}

int run_export(ExportFlags flags, bool has_confidence, const StopRequest& stop) {
  const ExporterEntry& exporter = find_exporter(flags.to);
  flags.onnx.int8 = flags.int8;
  flags.onnx.agnostic = is_agnostic(flags);
  const std::filesystem::path source = find_checkpoint(flags.checkpoint, "checkpoint", &std::cerr);
  check_is_not_input("--out", flags.out, source.string(), "the checkpoint that is exported");
  if (flags.to == "onnx" && std::filesystem::path(flags.out).extension() != ".onnx")
    throw Error({.where = "--out " + flags.out,
                 .what = "must end in .onnx: runtimes and predict know the format by it",
                 .fix = "name model.onnx"},
                Exit::usage);
  check_export_files(exporter, flags.out, source);
  if (!flags.verify.empty() || flags.int8 || flags.to == "onnx")
    check_output_file("--out's certificate", certificate_of(flags.out).string(),
                      {"a JSON file", "{"});
  std::optional<Workplace> workplace;
  if (!flags.verify.empty() || flags.int8 || exporter.converted_by_openvino) workplace.emplace();
  const Checkpoint checkpoint =
      workplace ? read_copy(source, *workplace) : read_checkpoint(source, true);
  const auto promised = promised_of(checkpoint.info);
  if (promised && !has_confidence)
    flags.onnx.confidence = static_cast<float>(promised->confidence);  // as predict
  if (promised && flags.to != "darknet" && !keeps_promise(*promised, flags.onnx))
    std::cerr << "what `eval --promise` kept in the checkpoint is left out of the file: it is of "
                 "confidence "
              << promised->confidence << " in float32, with --iou, --nms and --max-detections "
              << "left alone\n";
  const auto files = workplace
                         ? write_verified(exporter, checkpoint, verified(flags), *workplace, stop)
                         : write_unverified(exporter, checkpoint, flags);
  if (files.empty()) return 128 + stop.signal();
  print_files(files, flags, checkpoint.info);
  return 0;
}

FlagTable<ExportFlags> export_flags() {
  using F = Flag<ExportFlags>;
  const auto of = [](auto option) { return member(&ExportFlags::onnx, option); };
  return FlagTable<ExportFlags>().add(
      {checkpoint_flag<ExportFlags>().required(),
       F("to", &ExportFlags::to, help_of(exporter_entries()))
           .required()
           .known("format", exporter_entries()),
       F("out", &ExportFlags::out,
         "the file to write; darknet: its extension is replaced; openvino: FILE.xml")
           .required(),
       F("output", of(&OnnxOptions::output),
         "onnx, openvino: raw (logits of each head), decoded (boxes and scores), detections (after "
         "suppression) or ultralytics (as its own exports, for YOLO('model.onnx'))")
           .choices(kOutputs),
       F("batch", of(&OnnxOptions::batch), "onnx, openvino: pictures at once; 0: any number")
           .at_least(0, "0 (any number) or more"),
       F("half", of(&OnnxOptions::half),
         "onnx, openvino: float16 inside, half the size; input and outputs stay float32"),
       confidence_flag<ExportFlags>(
           of(&OnnxOptions::confidence),
           "onnx detections, and --int8, which compares recalls at it: lower scores are left out; "
           "kept "
           "in the file, for predict too; none given: what `eval --promise` kept in "
           "the checkpoint, else " +
               fmt::format("{:g}", OnnxOptions().confidence)),
       iou_flag<ExportFlags>(of(&OnnxOptions::iou),
                             "onnx detections: overlap above which the lower score is dropped"),
       max_detections_flag<ExportFlags>(
           of(&OnnxOptions::max_detections),
           "onnx detections: per picture and class, or per picture when agnostic"),
       suppression_flag<ExportFlags>(&ExportFlags::suppression,
                                     "onnx detections: class (each class by itself) or agnostic "
                                     "(all together); none given: " +
                                         DetectionOptions().suppression,
                                     "class or agnostic"),
       F("int8", &ExportFlags::int8,
         "onnx, openvino: convolutions in int8, by onnxruntime's static quantisation on rows of "
         "the store's split train; recall on its val is printed, kept in OUT.parity.json, and "
         "decides"),
       F("max-recall-loss", &ExportFlags::max_recall_loss,
         "--int8: points of recall that may be lost, else nothing is written (exit 65)")
           .between(0, 100),
       F("verify", &ExportFlags::verify,
         "onnx, openvino: runs the file on up to 64 pictures and writes OUT.parity.json beside it "
         "if the "
         "detections are predict's, else neither (exit 65): onnxruntime, opencv, openvino, or the "
         "path of a program of yours")
           .says(fmt::format("{} or a path", fmt::join(certified_runtimes(), ", ")))
           .filled(),
       F("store", &ExportFlags::store,
         "whose val pictures --verify looks at, and whose rows --int8 takes; none given: the "
         "training's; where its pictures are not there any more, --verify draws some"),
       F("python", &ExportFlags::python,
         "that has numpy and Pillow, and the runtime of --verify; openvino for --to openvino; "
         "onnx and onnxruntime for --int8"),
       json_flag<ExportFlags>()});
}

}  // namespace

Command export_command() {
  const FlagTable<ExportFlags> table = export_flags();
  return command("export", "a checkpoint as ONNX, OpenVINO or Darknet files", table,
                 [table](const Given<ExportFlags>& given) {
                   find_exporter(given.options.to);
                   refuse_without_use(given.options, given.names);
                   table.check(given.options);
                   check_format(given.options);
                   check_verification(given.options, given.names);
                   return run_export(given.options, given.names.contains("conf"), stop_by_signal());
                 });
}

}  // namespace letterpress
