#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/inside_folder.h"
#include "letterpress/base/registry.h"
#include "letterpress/commandline/json_flag.h"
#include "letterpress/commandline/output_file.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/progress.h"
#include "letterpress/commandline/threads_flag.h"
#include "preprocess/draw/draw.h"
#include "preprocess/pictures/depth.h"
#include "preprocess/pictures/quiet_decoders.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/detection/detection_flags.h"
#include "trainer/device/device_flags.h"
#include "trainer/device/memory_shortage.h"
#include "trainer/device/process_setup.h"
#include "trainer/predict/earlier_outputs.h"
#include "trainer/predict/engine.h"
#include "trainer/predict/session/session.h"
#include "trainer/predict/thresholds.h"

namespace letterpress {
namespace {

constexpr std::string_view kNumpy = "\x93NUMPY";  // with which its files begin

struct Flags {
  SessionOptions session;
  std::vector<std::string> inputs;
  std::string format = "json", depth;
  bool no_draw = false, json = false;
};

// What was done before a signal came is kept.
std::filesystem::path predict(Session& session, const std::vector<PictureInput>& pictures,
                              const StopRequest& stop) {
  Progress progress("predicting", static_cast<std::int64_t>(pictures.size()), "pictures");
  return session.run(pictures, stop, [&](const std::optional<Reject>& reject) {
    if (reject) progress.note(to_string(*reject));
    progress.add();
  });
}

// Of the time after the model was loaded.
double data_wait(const SessionCounts& counts) {
  return counts.run_s > 0 ? std::clamp(1 - counts.model_s / counts.run_s, 0.0, 1.0) : 0;
}

std::string text_of(const Promised& promised, const std::string& broken_by) {
  return fmt::format(
      "detections count from confidence {:.4f} on, which promises to find {:.4g} % of the "
      "objects{}; --conf sets another",
      promised.confidence, 100 * promised.recall,
      broken_by.empty() ? "" : ", but not with " + broken_by);
}

std::string text_of(const SessionCounts& counts, std::size_t left_out,
                    const std::filesystem::path& shown, const std::string& engine, double seconds) {
  std::string text = fmt::format("{}: {} detections in {} pictures{}, {} pictures rejected",
                                 shown.string(), counts.detections, counts.predicted,
                                 counts.tiles > 0 ? fmt::format(" of {} tiles", counts.tiles) : "",
                                 counts.rejected);
  if (left_out > 0) text += fmt::format(", {} left out", left_out);
  if (counts.labelled > 0)
    text += fmt::format(", {} had labels already, which are kept (--overwrite replaces them)",
                        counts.labelled);
  return text + fmt::format(
                    "\n{:.1f} s, {:.1f} of them to load the model; then {:.1f} pictures/s, "
                    "data wait {:.1f} %, by {}\n",
                    seconds, counts.load_s,
                    static_cast<double>(counts.predicted) / std::max(counts.run_s, 1e-9),
                    100 * data_wait(counts), engine);
}

// Beside the pictures: those that are read, and those of --out that are no drawings.
std::vector<std::filesystem::path> other_files(const Flags& flags,
                                               const std::filesystem::path& checkpoint) {
  std::vector<std::filesystem::path> files{checkpoint};
  for (const std::string& input : flags.inputs) files.push_back(input);
  for (const char* name : {"detections.json", "instances.json", "classes.txt"})
    files.push_back(flags.session.out / name);
  return files;
}

// What people are to know of the model before its results.
void print_notes(const Predictor& model, bool draws) {
  if (!model.note().empty()) std::cerr << model.note() << "\n";
  if (const auto promised = model.promised())
    std::cerr << text_of(*promised, model.breaks_promise()) << "\n";
  const std::string on_texts = draws ? note_on_texts(model.classes()) : "";
  if (!on_texts.empty()) std::cerr << on_texts << "\n";
}

// What the outputs are to be called.
void check_names(const SessionOptions& options, const std::vector<PictureInput>& pictures) {
  const OutputFormatEntry& format = *options.format;
  if (options.draw) check_drawn_names(pictures, format.drawings_folder(options.out));
  check_named_once(pictures);
  if (format.by_name) check_label_names(pictures, format);
  if (format.tells_names) check_picture_names(pictures);
  if (!options.overwrite) check_earlier_outputs(format, options.out, pictures, options.draw);
}

void say_drawings_among_inputs(const Flags& flags) {
  for (const std::string& input : flags.inputs) {
    if (!std::filesystem::is_directory(input) || !is_inside(flags.session.out, input)) continue;
    std::cerr << "--out " << flags.session.out.string() << " lies in --input " << input
              << ": whoever reads that folder next, build or predict, takes the drawings for "
                 "pictures; name a folder outside it, or pass --no-draw\n";
  }
}

int run(const Flags& flags, const StopRequest& stop) {
  SessionOptions options = flags.session;
  options.predictor.threads = tell(limit_to_cores(options.predictor.threads));
  options.limits.depth = parse_depth(flags.depth);
  options.format = &find_output_format(flags.format);
  options.draw = !flags.no_draw && !options.format->by_name;
  const std::filesystem::path file = find_checkpoint(options.checkpoint, "checkpoint", &std::cerr);
  options.checkpoint = file;
  std::vector<Reject> left_out;
  const std::vector<PictureInput> pictures = find_pictures(flags.inputs, left_out, std::cin);
  for (const Reject& reject : left_out) std::cerr << to_string(reject) << "\n";
  check_names(options, pictures);
  if (options.draw) say_drawings_among_inputs(flags);
  if (!options.frames.empty()) {
    check_frames_name(options.frames, pictures, other_files(flags, file));
    // --out, which it may lie in, is not made yet.
    if (std::filesystem::exists(options.frames) ||
        !is_inside(std::filesystem::absolute(options.frames).parent_path(), options.out))
      check_output_file("--frames-out", options.frames.string(), {"a .npy file", kNumpy});
  }
  if (std::filesystem::exists(options.out) && !std::filesystem::is_directory(options.out))
    throw Error({.where = "--out " + options.out.string(),
                 .what = "is not a folder",
                 .fix = "name another one"},
                Exit::cannot_create);
  const Clock::time_point begin = Clock::now();
  Session session(options);
  make_folders(options.out);
  print_notes(session.predictor(), options.draw);
  const std::filesystem::path shown = predict(session, pictures, stop);
  const double seconds = std::max(seconds_since(begin), 1e-9);
  const SessionCounts& counts = session.counts();
  std::cout << text_of(counts, left_out.size(), shown, session.predictor().engine(), seconds);
  if (stop)
    std::cerr << "letterpress-predict: stopped by a signal after "
              << counts.predicted + counts.labelled + counts.rejected << " of " << pictures.size()
              << " pictures; of the others nothing is written\n";
  if (flags.json) {
    const nlohmann::ordered_json summary{{"pictures", pictures.size()},
                                         {"predicted", counts.predicted},
                                         {"detections", counts.detections},
                                         {"tiles", counts.tiles},
                                         {"rejected", counts.rejected},
                                         {"labelled", counts.labelled},
                                         {"left_out", left_out.size()},
                                         {"signal", stop.signal()},
                                         {"out", options.out.string()},
                                         {"engine", session.predictor().engine()},
                                         {"seconds", seconds},
                                         {"load_seconds", counts.load_s},
                                         {"model_seconds", counts.model_s},
                                         {"data_wait", data_wait(counts)}};
    // Names of files need not be UTF-8, JSON must be.
    std::cout << summary.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
  }
  if (stop) return 128 + stop.signal();
  return counts.predicted + counts.labelled == 0 ? static_cast<int>(Exit::data) : 0;
}

void add_files(FlagTable<Flags>& table) {
  using F = Flag<Flags>;
  const auto of = [](auto option) { return member(&Flags::session, option); };
  table.add(
      {F("checkpoint", of(&SessionOptions::checkpoint),
         "a checkpoint, a run's folder (its best one), or an ONNX file of `export --output "
         "decoded` "
         "(float32, float16 or int8), which OpenVINO runs on the CPU")
           .required(),
       F("input", &Flags::inputs,
         "pictures, folders of pictures, lists (.txt, a picture per line), or - for a list on "
         "stdin")
           .required(),
       F("out", of(&SessionOptions::out), "folder for what was found, and for the drawn pictures")
           .says("a folder")
           .filled()
           .required(),
       F("format", &Flags::format, help_of(output_formats())).known("format", output_formats()),
       F("overwrite", of(&SessionOptions::overwrite),
         "yolo, voc: replace label files that are there already, which else are kept; json, coco: "
         "replace files that no earlier predict wrote, which else are refused")});
}

void add_model(FlagTable<Flags>& table) {
  using F = Flag<Flags>;
  const auto of = [](auto option) {
    return member(member(&Flags::session, &SessionOptions::predictor), option);
  };
  const auto of_detection = [of](auto option) {
    return member(of(&PredictorOptions::detection), option);
  };
  table.add(
      {F("conf", of(&PredictorOptions::confidences),
         "detections with a lower score are left out: a score, and CLASS=SCORE for classes of "
         "their own, 0.25,RBC=0.4, by the name or, as where that has a comma, by the number from "
         "0; none given: what an ONNX file says, or `eval --promise` kept in the checkpoint, "
         "else " +
             fmt::format("{:g}", kDefaultConfidence))
           .commas()
           .says(threshold_limits()),
       iou_flag<Flags>(of_detection(&DetectionOptions::iou),
                       "overlap above which the lower score is dropped"),
       suppression_flag<Flags>(
           of_detection(&DetectionOptions::suppression),
           "which of overlapping detections stay. " + help_of(suppression_infos())),
       F("batch", of(&PredictorOptions::batch), "pictures at once, or tiles of them")
           .between(1, kMostFrames),
       device_flag<Flags>(of(&PredictorOptions::device)),
       precision_flag<Flags>(of(&PredictorOptions::precision)),
       F("engine", of(&PredictorOptions::engine),
         "what computes the layers: torch; openvino, faster on CPUs, the same to 4 digits of a "
         "score; or auto: openvino on a CPU where it is installed and takes the model, and for "
         "ONNX files, else "
         "torch")
           .choices(engines())
           .check([](const Flags& flags) { validate_engine(flags.session.predictor); }),
       threads_flag<Flags>(of(&PredictorOptions::threads))});
}

void add_pictures(FlagTable<Flags>& table) {
  using F = Flag<Flags>;
  const auto of = [](auto option) { return member(&Flags::session, option); };
  table.add(
      {F("max-pixels",
         member(member(&Flags::session, &SessionOptions::limits), &PictureLimits::max_pixels),
         "of a picture; larger ones are rejected")
           .at_least(1),
       F("whole-picture", of(&SessionOptions::whole_picture),
         "of tiles: also looks at the picture as a whole, shrunk into one frame, for objects that "
         "are longer than the tiles' overlap"),
       F("depth", &Flags::depth,
         "of 16-bit pictures, as `build` was given it; they are rejected without it: 8, 12 or 16 "
         "bits that matter, or minmax of each")
           .says(kDepthNames)
           .check([](const Flags& flags) { (void)parse_depth(flags.depth); }),
       F("truncated",
         member(member(&Flags::session, &SessionOptions::limits), &PictureLimits::truncated),
         "JPEGs that end early: reject, or keep (what is missing is grey), as `build` was given it")
           .choices({"reject", "keep"}),
       F("no-draw", &Flags::no_draw, "json, coco: no drawn pictures; yolo and voc draw none"),
       F("frames-out", of(&SessionOptions::frames),
         "a file for the pixels that the network is given, to compare a program of yours with: "
         "numpy's, uint8 [n, side, side, 3], in the order of the pictures that can be used; not "
         "written when a signal ends it"),
       json_flag<Flags>()});
}

Command predict_command() {
  FlagTable<Flags> table;
  add_files(table);
  add_model(table);
  add_pictures(table);
  Command made = command("", "", table, [](const Flags& flags) {
    set_up_process();
    return explaining_shortage("a smaller --batch takes less",
                               [&] { return run(flags, stop_by_signal()); });
  });
  made.footer =
      "Pictures that cannot be used are named on stderr and left out. Exit code 0 when at least "
      "one could be, 65 when none; a signal ends with 128 + its number and the detections so far.";
  return made;
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  quiet_decoders();
  return run_program("letterpress-predict", "Finds objects in pictures with a trained model.",
                     {predict_command()}, argc, argv);
}
