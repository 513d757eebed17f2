#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/require_flag.h"
#include "letterpress/models/graph.h"
#include "trainer/commands/bench_metrics.h"
#include "trainer/commands/commands.h"
#include "trainer/device/device.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/shared_flags.h"
#include "trainer/fit/rates/step_rate.h"

namespace letterpress {
namespace {

struct BenchFlags {
  std::filesystem::path store;
  std::string split = "train", snapshot, read = "auto", pixels = "bytes,float32";
  BenchWishes wishes;
  StepRateOptions step{.model = ""};  // none: nothing to hold against
  double need = 0;                    // pictures/s of one device
  int devices = 1;
  bool warm_only = false, json = false;
};

void define(CLI::App& app, BenchFlags& flags) {
  app.add_option("--store", flags.store, "folder that letterpress-preprocess build made")
      ->required();
  app.add_option("--split", flags.split, "what to read");
  app.add_option("--snapshot", flags.snapshot, "generation of the store, or latest");
  app.add_option("--rows", flags.wishes.rows, "at most, of a pass");
  app.add_option("--runs", flags.wishes.runs, "passes, of which the median counts");
  app.add_option("--batch", flags.wishes.loading.batch, "rows at once");
  app.add_option("--readers", flags.wishes.loading.threads, "threads that read; 0: min(4, cores)");
  app.add_option("--buffers", flags.wishes.loading.buffers,
                 "batches in memory, the consumer's included");
  app.add_option("--read", flags.read, "how rows are read: auto, pread, mmap or direct");
  app.add_option("--order", flags.wishes.order, "shuffle or window");
  app.add_option("--pixels", flags.pixels,
                 "what to make of them, one or more of bytes (for a GPU), float32, bfloat16; the "
                 "first is also "
                 "read cold, verified, paced and held against --need; with --model what its steps "
                 "take in goes first");
  app.add_flag("--warm-only", flags.warm_only, "leave the page cache as it is");
  app.add_option(
      "--pace", flags.wishes.pace,
      "how many times as long as the loader a paced consumer takes for a row: 0.1 to 10");
  app.add_option("--model", flags.step.model,
                 "measure here what training steps of this model take in");
  app.add_option("--gpus", flags.devices, "how many such devices the store is to feed");
  app.add_option("--need", flags.need,
                 "instead of --model: pictures/s of one device, as fit printed them on it");
  app.add_option("--device", flags.step.device,
                 "auto, cpu, cuda or cuda:N: of --model; a CUDA device also shows how fast rows "
                 "reach its memory, beside its bus");
  app.add_option("--precision", flags.step.precision, "of --model: fp32, bf16 or, on CUDA, fp16");
  app.add_flag("--cuda-graph", flags.step.cuda_graph,
               "of --model, on CUDA: its steps are launched as one piece, as by fit's flag");
  app.add_option("--step-batch", flags.step.batch, "of --model: pictures per step");
  app.add_option("--threads", flags.step.threads,
                 "of --model: CPU threads of the arithmetic; 0: all cores");
  app.add_flag("--json", flags.json, "one JSON summary line last on stdout");
}

std::vector<PixelType> pixels_from(const std::string& names) {
  std::vector<PixelType> types;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    if (name != "bytes" && name != "float32" && name != "bfloat16")
      throw Error("--pixels is '" + names +
                      "', must be one or more of bytes, float32, bfloat16, with commas between",
                  Exit::usage);
    types.push_back(name == "bytes"     ? PixelType::bytes
                    : name == "float32" ? PixelType::float32
                                        : PixelType::bfloat16);
    begin = end + 1;
  }
  return types;
}

void validate(BenchFlags& flags) {
  require_snapshot(flags.snapshot);
  require_flag(flags.wishes.rows >= 1, "rows", flags.wishes.rows, "1 or more");
  require_flag(flags.wishes.runs >= 1, "runs", flags.wishes.runs, "1 or more");
  require_flag(flags.wishes.loading.batch >= 1, "batch", flags.wishes.loading.batch, "1 or more");
  require_readers(flags.wishes.loading.threads);
  require_flag(flags.wishes.loading.buffers >= 2, "buffers", flags.wishes.loading.buffers,
               "2 or more");
  require_flag(
      flags.wishes.pace >= 0.1 && flags.wishes.pace <= 10, "pace", flags.wishes.pace,
      "0.1 to 10 times what the loader takes for a row (1.1: a consumer that is a tenth slower)");
  require_flag(flags.need >= 0, "need", flags.need, "0 (not known) or more pictures/s");
  require_flag(flags.devices >= 1, "gpus", flags.devices, "1 or more");
  require_threads(flags.step.threads);
  require_flag(flags.step.batch >= 1, "step-batch", flags.step.batch, "1 or more");
  if (flags.need > 0 && !flags.step.model.empty())
    throw Error("got both --model and --need; leave one out", Exit::usage);
  choose_device(flags.step.device);
  window_of(flags.wishes.order);
  flags.wishes.loading.read = read_by_from(flags.read);
  flags.wishes.pixels = pixels_from(flags.pixels);
  flags.wishes.cold = !flags.warm_only;
  flags.wishes.device = flags.step.device;
}

/// What the devices take in together. A model's steps also decide which pixels go first.
Need find_need(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
               BenchFlags& flags) {
  double rate_of_one = flags.need;
  std::string of = "a device of --need";
  if (!flags.step.model.empty()) {
    flags.wishes.stage("training steps of " + flags.step.model);
    const StepRate rate = measure_step_rate(reader, pictures, flags.step);
    rate_of_one = rate.pictures.median;
    // What its steps take in is what is held against them: the first.
    std::erase(flags.wishes.pixels, rate.pixels);
    flags.wishes.pixels.insert(flags.wishes.pixels.begin(), rate.pixels);
    of = flags.step.model + " in training steps of " + std::to_string(flags.step.batch) +
         ", measured here (" + rate.device + ", " + flags.step.precision +
         (flags.step.cuda_graph ? ", CUDA graph)" : ")");
  }
  return {.rows_per_s = flags.devices * rate_of_one,
          .devices = flags.devices,
          .source = std::to_string(flags.devices) + " x " + of};
}

int run(BenchFlags& flags) {
  validate(flags);
  end_soon_when_stopped();  // it writes nothing
  flags.wishes.stage = [](const std::string& what) {
    std::cerr << "letterpress-trainer bench: measuring " << what << std::endl;
  };
  const auto [store, reader, pictures] = open_split(flags.store, flags.snapshot, flags.split);
  choose_read(flags.wishes.loading.read,
              examine_reading(reader, false));  // refuses before minutes of measuring
  const Need need = find_need(reader, pictures, flags);
  BenchMetrics metrics = measure_bench(reader, pictures, flags.wishes);
  metrics.need = need;
  print(metrics, std::cout);
  if (flags.json) std::cout << json_of(metrics).dump() << "\n";
  return 0;
}

}  // namespace

Command bench_command() {
  return {"bench",
          "how fast this store is read here, beside what memory allows and what a model needs",
          [](CLI::App& app) {
            // Owners: the options of `app`, which write to it, and the answer, which reads it.
            auto flags = std::make_shared<BenchFlags>();
            define(app, *flags);
            return [flags] { return run(*flags); };
          }};
}

}  // namespace letterpress
