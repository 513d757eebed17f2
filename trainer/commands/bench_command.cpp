#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/threads_flag.h"
#include "letterpress/models/graph.h"
#include "trainer/commands/bench_metrics.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/device/cuda_graph.h"
#include "trainer/device/device_flags.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/fit_flags.h"
#include "trainer/fit/rates/step_rate.h"

namespace letterpress {
namespace {

struct BenchFlags {
  std::filesystem::path store;
  std::string split = "train", snapshot, read = "auto", pixels = "bytes,float32";
  BenchOptions bench;
  StepRateOptions step{.model = ""};  // none: nothing to hold against
  double need = 0;                    // pictures/s of one device
  int devices = 1;
  bool warm_only = false, json = false;
};

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

void complete(BenchFlags& flags) {
  flags.bench.loading.read = read_by_from(flags.read);
  flags.bench.pixels = pixels_from(flags.pixels);
  flags.bench.cold = !flags.warm_only;
  flags.bench.device = flags.step.device;
  flags.step.threads = tell(limit_to_cores(flags.step.threads));
  flags.bench.loading.threads = tell(limit_readers(flags.bench.loading.threads));
}

/// What the devices take in together. A model's steps also decide which pixels go first.
Need find_need(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
               BenchFlags& flags) {
  double rate_of_one = flags.need;
  std::string of = "a device of --need";
  if (!flags.step.model.empty()) {
    flags.bench.stage("training steps of " + flags.step.model);
    // As fit on several devices trains: the graph of a step holds no exchange with other ranks.
    if (flags.devices > 1 && flags.step.cuda_graph == "auto") flags.step.cuda_graph = "off";
    const StepRate rate = measure_step_rate(reader, pictures, flags.step);
    rate_of_one = rate.pictures.median;
    // What its steps take in is what is held against them: the first.
    std::erase(flags.bench.pixels, rate.pixels);
    flags.bench.pixels.insert(flags.bench.pixels.begin(), rate.pixels);
    of = flags.step.model + " in training steps of " + std::to_string(flags.step.batch) +
         ", measured here (" + rate.device + ", " + flags.step.precision +
         (rate.replayed ? ", CUDA graph)" : ")");
  }
  return {.rows_per_s = flags.devices * rate_of_one,
          .devices = flags.devices,
          .source = std::to_string(flags.devices) + " x " + of};
}

int run_bench(BenchFlags& flags) {
  complete(flags);
  end_soon_when_stopped();  // it writes nothing
  flags.bench.stage = [](const std::string& what) {
    std::cerr << "letterpress-trainer bench: measuring " << what << std::endl;
  };
  const auto [store, reader, pictures] = open_split(flags.store, flags.snapshot, flags.split);
  choose_read(flags.bench.loading.read,
              examine_reading(reader, false));  // refuses before minutes of measuring
  const Need need = find_need(reader, pictures, flags);
  BenchMetrics metrics = measure_bench(reader, pictures, flags.bench);
  metrics.need = need;
  print(metrics, std::cout);
  if (flags.json) std::cout << json_of(metrics).dump() << "\n";
  return 0;
}

auto of_loading(auto option) {
  return member(member(&BenchFlags::bench, &BenchOptions::loading), option);
}

void add_reading(FlagTable<BenchFlags>& table) {
  using F = Flag<BenchFlags>;
  const auto of = [](auto option) { return member(&BenchFlags::bench, option); };
  table.add(
      {F("store", &BenchFlags::store, "folder that letterpress-preprocess build made").required(),
       F("split", &BenchFlags::split, "what to read"), snapshot_flag<BenchFlags>(),
       F("rows", of(&BenchOptions::rows), "at most, of a pass").at_least(1),
       F("runs", of(&BenchOptions::runs), "passes; their median counts").at_least(1),
       F("batch", of_loading(&LoaderOptions::batch), "rows at once").at_least(1),
       readers_flag<BenchFlags>(of_loading(&LoaderOptions::threads), "threads that read"),
       F("buffers", of_loading(&LoaderOptions::buffers),
         "batches in memory, the consumer's included")
           .at_least(2),
       read_flag<BenchFlags>(&BenchFlags::read),
       F("order", of(&BenchOptions::order), "of the rows: shuffled, or in windows as by fit's flag")
           .choices(orders()),
       F("pixels", &BenchFlags::pixels,
         "what to make of them, one or more of bytes (for a GPU), float32, bfloat16; the first is "
         "also read cold, verified, paced and held against --need; with --model what its steps "
         "take in goes first")
           .check([](const BenchFlags& flags) { pixels_from(flags.pixels); }),
       F("warm-only", &BenchFlags::warm_only, "leave the page cache as it is"),
       F("pace", of(&BenchOptions::pace),
         "how many times as long as the loader a paced consumer takes for a row")
           .between(0.1, 10,
                    "0.1 to 10 times what the loader takes for a row (1.1: a consumer that is a "
                    "tenth slower)")});
}

constexpr const char* kModel = "--model yolov8n";
bool has_model(const BenchFlags& flags) { return !flags.step.model.empty(); }

void add_steps(FlagTable<BenchFlags>& table) {
  using F = Flag<BenchFlags>;
  const auto of = [](auto option) { return member(&BenchFlags::step, option); };
  table.add(
      {F("model", of(&StepRateOptions::model),
         "measure here what training steps of this model take in")
           .check([](const BenchFlags& flags) {
             if (flags.need > 0 && !flags.step.model.empty())
               throw Error(Message{.what = "got both --model and --need", .fix = "leave one out"},
                           Exit::usage);
           }),
       F("gpus", &BenchFlags::devices, "how many such devices the store is to feed").at_least(1),
       F("need", &BenchFlags::need,
         "instead of --model: pictures/s of one device, as fit printed them on it")
           .at_least(0, "0 (not known) or more pictures/s"),
       device_flag<BenchFlags>(of(&StepRateOptions::device),
                               ": of --model; a CUDA device also shows how fast rows reach its "
                               "memory, beside its bus")
           .check([](const BenchFlags& flags) { choose_device(flags.step.device); }),
       precision_flag<BenchFlags>(of(&StepRateOptions::precision), "of --model: ")
           .only_with(kModel, has_model),
       F("tf32", of(&StepRateOptions::tf32),
         "of --model, on CUDA: float32 numbers are multiplied with fewer bits, as by fit's flag")
           .only_with(kModel, has_model),
       F("cuda-graph", of(&StepRateOptions::cuda_graph),
         "of --model, on CUDA: whether its steps are launched as one piece, as by fit's flag")
           .choices(graph_choices())
           .check([](const BenchFlags& flags) {
             if (flags.step.cuda_graph == "on" && flags.devices > 1)
               throw Error({.what = "--cuda-graph on is for one device, --gpus is " +
                                    std::to_string(flags.devices),
                            .fix = "leave one of the two out"},
                           Exit::usage);
           })
           .only_with(kModel, has_model),
       F("step-batch", of(&StepRateOptions::batch), "of --model: pictures per step")
           .at_least(1)
           .only_with(kModel, has_model),
       threads_flag<BenchFlags>(of(&StepRateOptions::threads),
                                "of --model: CPU threads of the arithmetic; 0: all cores")
           .only_with(kModel, has_model),
       json_flag<BenchFlags>()});
}

}  // namespace

Command bench_command() {
  FlagTable<BenchFlags> table;
  add_reading(table);
  add_steps(table);
  return command(
      "bench", "how fast this store is read here, beside what memory allows and what a model needs",
      table, run_bench);
}

}  // namespace letterpress
