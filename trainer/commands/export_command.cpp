#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/output_file.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/detection/detection.h"
#include "trainer/exchange/exporter.h"

namespace letterpress {
namespace {

struct ExportFlags {
  std::filesystem::path checkpoint;
  std::string out, to, output = "decoded", suppression;
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
  for (const char* flag : {"output", "batch", "half"}) {
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

int run_export(ExportFlags flags) {
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
  nlohmann::json files = nlohmann::json::array();
  for (const std::filesystem::path& file : exporter.write(checkpoint, flags.out, flags.onnx)) {
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
       F("conf", of(&OnnxOptions::confidence), "onnx detections: lower scores are left out")
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
                   return run_export(given.options);
                 });
}

}  // namespace letterpress
