#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/progress.h"
#include "letterpress/commandline/require_flag.h"
#include "preprocess/pictures/depth.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/device/memory_shortage.h"
#include "trainer/predict/session.h"

namespace letterpress {
namespace {

struct Flags {
  SessionOptions session;
  std::vector<std::string> inputs;
  std::string format = "json", depth;
  bool no_draw = false, json = false;
};

// What was done before a signal came is kept.
void predict(Session& session, const std::vector<PictureInput>& pictures, const StopRequest& stop) {
  Progress progress("predicting", static_cast<std::int64_t>(pictures.size()), "pictures");
  for (const PictureInput& picture : pictures) {
    if (stop) break;
    if (const auto reject = session.add(picture)) progress.note(to_string(*reject));
    progress.add();
  }
}

std::string text_of(const SessionCounts& counts, const std::filesystem::path& shown,
                    double seconds) {
  std::string text =
      fmt::format("{}: {} detections in {} pictures, {} pictures rejected", shown.string(),
                  counts.detections, counts.predicted, counts.rejected);
  if (counts.labelled > 0)
    text += fmt::format(", {} had labels already, which are kept (--overwrite replaces them)",
                        counts.labelled);
  return text + fmt::format("\n{:.1f} s, {:.1f} pictures/s; the model took {:.0f} % of it\n",
                            seconds, static_cast<double>(counts.predicted) / seconds,
                            100 * counts.model_s / seconds);
}

int run(const Flags& flags) {
  SessionOptions options = flags.session;
  require_flag(options.limits.max_pixels >= 1, "max-pixels", options.limits.max_pixels,
               "1 or more");
  options.limits.depth = parse_depth(flags.depth);
  options.format = &find_output_format(flags.format);
  options.draw = !flags.no_draw && !options.format->by_name;
  options.checkpoint = find_checkpoint(options.checkpoint, "checkpoint");
  std::vector<Reject> left_out;
  const std::vector<PictureInput> pictures = find_pictures(flags.inputs, left_out, std::cin);
  for (const Reject& reject : left_out) std::cerr << to_string(reject) << "\n";
  if (options.draw) check_drawn_names(pictures, options.out);
  if (options.format->by_name) check_label_names(pictures);
  make_folders(options.out);
  const Clock::time_point begin = Clock::now();
  Session session(options);
  const StopRequest& stop = stop_by_signal();
  predict(session, pictures, stop);
  const std::filesystem::path shown = session.finish();
  const double seconds = std::max(seconds_since(begin), 1e-9);
  const SessionCounts& counts = session.counts();
  std::cout << text_of(counts, shown, seconds);
  if (flags.json) {
    const nlohmann::ordered_json summary{
        {"pictures", pictures.size()},    {"detections", counts.detections},
        {"rejected", counts.rejected},    {"labelled", counts.labelled},
        {"left_out", left_out.size()},    {"signal", stop.signal()},
        {"out", options.out.string()},    {"seconds", seconds},
        {"model_seconds", counts.model_s}};
    // Names of files need not be UTF-8, JSON must be.
    std::cout << summary.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
  }
  if (stop) return 128 + stop.signal();
  return counts.predicted + counts.labelled == 0 ? static_cast<int>(Exit::data) : 0;
}

void define_model(CLI::App& app, PredictorOptions& options) {
  std::string variants;
  for (const SuppressionInfo& info : suppression_infos())
    variants += (variants.empty() ? "" : "; ") + info.name + ": " + info.help;
  app.add_option("--conf", options.confidences,
                 "detections with a lower score are left out: a score, and CLASS=SCORE for classes "
                 "of their own, 0.25,RBC=0.4")
      ->delimiter(',');
  app.add_option("--iou", options.detection.iou, "overlap above which the lower score is dropped");
  app.add_option("--nms", options.detection.suppression,
                 "which of overlapping detections stay. " + variants);
  app.add_option("--batch", options.batch, "pictures at once");
  app.add_option("--device", options.device, "auto, cpu, cuda or cuda:N");
  app.add_option("--precision", options.precision, "fp32, bf16 or, on CUDA, fp16");
  app.add_option("--threads", options.threads, "CPU threads; 0: all cores");
}

std::function<int()> define(CLI::App& app) {
  // Owners: the options of `app`, which write to it, and the answer, which reads it.
  auto flags = std::make_shared<Flags>();
  std::string formats;
  for (const OutputFormatEntry* entry : output_formats())
    formats += std::string(formats.empty() ? "" : "; ") + entry->name + ": " + entry->help;
  app.add_option("--checkpoint", flags->session.checkpoint,
                 "a checkpoint, or a run's folder (its best one)")
      ->required();
  app.add_option("--input", flags->inputs,
                 "pictures, folders of pictures, lists (.txt, a picture per line), or - for a list "
                 "on stdin")
      ->required();
  app.add_option("--out", flags->session.out,
                 "folder for what was found, and for the drawn pictures")
      ->required();
  app.add_option("--format", flags->format, formats);
  app.add_flag("--overwrite", flags->session.overwrite,
               "yolo, voc: replace label files that are there already; without it they are kept");
  define_model(app, flags->session.predictor);
  app.add_option("--max-pixels", flags->session.limits.max_pixels,
                 "of a picture; larger ones are rejected");
  app.add_option("--depth", flags->depth,
                 "of 16-bit pictures, as `build` was given it; they are rejected without it: 8, 12 "
                 "or 16 bits that matter, or minmax of each");
  app.add_flag("--no-draw", flags->no_draw,
               "json, coco: no drawn pictures; yolo and voc draw none");
  app.add_flag("--json", flags->json, "one JSON summary line last on stdout");
  app.footer(
      "Pictures that cannot be used are named on stderr and left out. Exit code 0 when at least "
      "one could be, 65 when none; a signal "
      "ends with 128 + its number and the detections so far.");
  return [flags] {
    return explaining_shortage("a smaller --batch takes less", [&] { return run(*flags); });
  };
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program("letterpress-predict", "Finds objects in pictures with a trained model.",
                     {{"", "", define}}, argc, argv);
}
