#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/commandline/require_flag.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/commands/commands.h"
#include "trainer/detection/detection.h"
#include "trainer/exchange/exporter.h"

namespace letterpress {
namespace {

struct ExportFlags {
  std::filesystem::path checkpoint;
  std::string out, to, output = "decoded", suppression;
  OnnxOptions onnx;
  bool json = false;
  std::vector<const CLI::Option*> of_onnx,
      of_detections;  ///< those that only such a file has use for
};

OnnxOutput output_named(const std::string& name) {
  const std::vector<std::string> known{"raw", "decoded", "detections"};
  if (name == "raw") return OnnxOutput::raw;
  if (name == "decoded") return OnnxOutput::decoded;
  if (name == "detections") return OnnxOutput::detections;
  throw Error("--output: " + unknown_name("output", name, known), Exit::usage);
}

void define(CLI::App& app, ExportFlags& flags) {
  std::string formats;
  for (const ExporterEntry* entry : exporter_entries())
    formats += std::string(formats.empty() ? "" : "; ") + entry->name + ": " + entry->help;
  app.add_option("--checkpoint", flags.checkpoint, "a checkpoint, or a run's folder (its best one)")
      ->required();
  app.add_option("--to", flags.to, formats)->required();
  app.add_option("--out", flags.out, "the file to write; darknet: its extension is replaced")
      ->required();
  flags.of_onnx = {
      app.add_option("--output", flags.output,
                     "onnx: raw (logits of each head), decoded (boxes and scores) or detections "
                     "(after suppression)"),
      app.add_option("--batch", flags.onnx.batch, "onnx: pictures at once; 0: any number"),
      app.add_flag("--half", flags.onnx.half,
                   "onnx: float16 inside, half the size; input and outputs stay float32")};
  flags.of_detections = {
      app.add_option("--conf", flags.onnx.confidence, "onnx detections: lower scores are left out"),
      app.add_option("--iou", flags.onnx.iou,
                     "onnx detections: overlap above which the lower score is dropped"),
      app.add_option("--max-detections", flags.onnx.max_detections,
                     "onnx detections: per picture and class, or per picture when agnostic")};
  app.add_option("--nms", flags.suppression,
                 "onnx detections: class (each class by itself) or agnostic (all together); none "
                 "given: class");
  app.add_flag("--json", flags.json, "one JSON summary line last on stdout");
}

// They would do nothing.
void refuse_without_use(const ExportFlags& flags) {
  for (const CLI::Option* option : flags.of_onnx) {
    if (flags.to == "onnx" || option->count() == 0) continue;
    throw Error(option->get_name() + " is of ONNX files, --to " + flags.to +
                    " has no place for it; leave it out",
                Exit::usage);
  }
  for (const CLI::Option* option : flags.of_detections) {
    if ((flags.to == "onnx" && flags.onnx.output == OnnxOutput::detections) || option->count() == 0)
      continue;
    throw Error(option->get_name() +
                    " says how boxes become detections, which only --to onnx --output detections "
                    "writes; leave it out",
                Exit::usage);
  }
}

// ONNX's one operator of this kind drops whole boxes by their intersection over union: no lowered
// scores, no distances.
bool is_agnostic(const ExportFlags& flags) {
  if (flags.suppression.empty()) return false;
  validate(DetectionOptions{.suppression = flags.suppression});
  if (flags.to != "onnx" || flags.onnx.output != OnnxOutput::detections) {
    throw Error("--nms " + flags.suppression +
                    " says how boxes become detections, which only --to onnx --output detections "
                    "writes; leave "
                    "it out",
                Exit::usage);
  }
  if (flags.suppression != "class" && flags.suppression != "agnostic") {
    throw Error("--nms " + flags.suppression +
                    ": ONNX has no operator for it, only class and agnostic can be exported; "
                    "export --output "
                    "decoded and suppress its boxes where they are used",
                Exit::usage);
  }
  return flags.suppression == "agnostic";
}

int run(ExportFlags& flags) {
  const ExporterEntry& exporter = find_exporter(flags.to);
  flags.onnx.output = output_named(flags.output);
  refuse_without_use(flags);
  flags.onnx.agnostic = is_agnostic(flags);
  require_flag(flags.onnx.batch >= 0, "batch", flags.onnx.batch, "0 (any number) or more");
  require_flag(flags.onnx.confidence >= 0 && flags.onnx.confidence < 1, "conf",
               flags.onnx.confidence, "0 or more and under 1");
  require_flag(flags.onnx.iou > 0 && flags.onnx.iou <= 1, "iou", flags.onnx.iou,
               "over 0 and at most 1");
  require_flag(flags.onnx.max_detections >= 1, "max-detections", flags.onnx.max_detections,
               "1 or more");
  check_output_file("--out", flags.out, "a file");
  const std::filesystem::path source = find_checkpoint(flags.checkpoint, "checkpoint");
  if (std::filesystem::weakly_canonical(source) == std::filesystem::weakly_canonical(flags.out)) {
    throw Error("--out " + flags.out + ": is the checkpoint that is exported; name another file",
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

}  // namespace

Command export_command() {
  return {"export", "a checkpoint as ONNX or Darknet files", [](CLI::App& app) {
            // Owners: the options of `app`, which write to it, and the answer, which reads it.
            auto flags = std::make_shared<ExportFlags>();
            define(app, *flags);
            return [flags] { return run(*flags); };
          }};
}

}  // namespace letterpress
