#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/commandline/progress.h"
#include "letterpress/commandline/require_flag.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/commands/commands.h"
#include "trainer/device/device.h"
#include "trainer/fit/evaluate.h"
#include "trainer/fit/model_for_store.h"
#include "trainer/fit/run_setup.h"

namespace letterpress {
namespace {

struct Flags {
  std::filesystem::path store, checkpoint;
  std::string split = "val", snapshot, device = "auto", precision = "fp32";
  int batch = 16, threads = 0, readers = 0;
  DetectionOptions detection;
  bool json = false;
};

void define(CLI::App& app, Flags& flags) {
  app.add_option("--store", flags.store, "folder that letterpress-preprocess build made")->required();
  app.add_option("--checkpoint", flags.checkpoint, "a checkpoint, or a run's folder (its best one)")->required();
  app.add_option("--split", flags.split, "what to measure on");
  app.add_option("--snapshot", flags.snapshot, "generation of the store, or latest");
  app.add_option("--batch", flags.batch, "pictures at once");
  app.add_option("--conf", flags.detection.confidence, "detections with a lower score do not count");
  app.add_option("--iou", flags.detection.iou, "overlap above which the lower score of a class is dropped");
  app.add_option("--device", flags.device, "auto, cpu, cuda or cuda:N");
  app.add_option("--precision", flags.precision, "fp32 or bf16");
  app.add_option("--threads", flags.threads, "CPU threads; 0: all cores");
  app.add_option("--readers", flags.readers, "threads that read ahead; 0: min(4, cores)");
  app.add_flag("--json", flags.json, "one JSON summary line last on stdout");
}

void print_table(const DetectionFigures& figures, const std::vector<std::string>& classes) {
  std::size_t width = 5;
  for (const std::string& name : classes) width = std::max(width, name.size());
  const auto line = [&](const std::string& name, std::int64_t truths, const std::array<double, 4>& values) {
    std::cout << name << std::string(width - name.size(), ' ');
    char text[96];
    std::snprintf(text, sizeof text, " %8lld %10.4f %10.4f %10.4f %10.4f\n", static_cast<long long>(truths), values[0], values[1],
                  values[2], values[3]);
    std::cout << text;
  };
  std::cout << "class" << std::string(width - 5, ' ') << "   truths  precision     recall      mAP50   mAP50-95\n";
  std::int64_t truths = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto& one = figures.classes[i];
    truths += one.truths;
    line(classes[i], one.truths, {one.precision, one.recall, one.ap50, one.ap});
  }
  line("all", truths, {figures.precision, figures.recall, figures.map50, figures.map});
  char text[160];
  std::snprintf(text, sizeof text, "precision and recall at confidence %.3f, the one with the best mean F1; -1: no truth of that class\n",
                figures.best_confidence);
  std::cout << text;
}

nlohmann::json json_of(const DetectionFigures& figures, const std::vector<std::string>& classes) {
  nlohmann::json per_class = nlohmann::json::object();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto& one = figures.classes[i];
    per_class[classes[i]] = {
        {"truths", one.truths}, {"precision", one.precision}, {"recall", one.recall}, {"map50", one.ap50}, {"map50_95", one.ap}};
  }
  return {{"map50", figures.map50},         {"map75", figures.map75},   {"map50_95", figures.map},
          {"precision", figures.precision}, {"recall", figures.recall}, {"best_confidence", figures.best_confidence},
          {"classes", std::move(per_class)}};
}

DetectionFigures measure_split(const Flags& flags, const std::filesystem::path& file, const Checkpoint& checkpoint) {
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, choose_snapshot(store, flags.snapshot, nullptr));
  check_fits(checkpoint.info, reader.snapshot(), file.string());
  const std::vector<PictureRows> pictures = pictures_of(reader, flags.split, "split");
  if (pictures.empty()) throw Error(flags.store.string() + ": split '" + flags.split + "' holds no picture", Exit::no_input);
  const torch::Device device = choose_device(flags.device);
  set_up_arithmetic(device, flags.threads, false);
  const std::unique_ptr<Network> network = network_for_use(checkpoint, device);
  Progress progress("evaluating", static_cast<std::int64_t>(pictures.size()), "pictures");
  const auto figures = evaluate(*network, reader, pictures,
                                {.device = device,
                                 .bf16 = flags.precision == "bf16",
                                 .batch = flags.batch,
                                 .readers = flags.readers,
                                 .detection = flags.detection,
                                 .stop = [] { return stop_signal() != 0; },
                                 .evaluated = [&](std::int64_t n) { progress.add(n); }});
  return figures ? *figures : DetectionFigures{};
}

int run(const Flags& flags) {
  require_snapshot(flags.snapshot);
  require_flag(flags.batch >= 1, "batch", flags.batch, "1 or more");
  require_flag(flags.threads >= 0, "threads", flags.threads, "0 (all cores) or more");
  require_flag(flags.readers >= 0, "readers", flags.readers, "0 (as many as fit) or more");
  validate_precision(flags.precision);
  validate(flags.detection);
  const std::filesystem::path file = find_checkpoint(flags.checkpoint, "checkpoint");
  const Checkpoint checkpoint = read_checkpoint(file, true);
  const DetectionFigures figures = measure_split(flags, file, checkpoint);
  if (stop_signal() != 0) return 128 + stop_signal();
  print_table(figures, checkpoint.info.classes);
  if (flags.json) std::cout << json_of(figures, checkpoint.info.classes).dump() << "\n";
  return 0;
}

}  // namespace

Command eval_command() {
  return {"eval", "figures of a checkpoint on a split", [](CLI::App& app) {
            // Owners: the options of `app`, which write to it, and the answer, which reads it.
            auto flags = std::make_shared<Flags>();
            define(app, *flags);
            return [flags] { return run(*flags); };
          }};
}

}  // namespace letterpress
