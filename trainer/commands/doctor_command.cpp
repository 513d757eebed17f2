#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <iostream>

#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"
#include "letterpress/commandline/threads_flag.h"
#include "letterpress/machine/diagnosis.h"
#include "letterpress/machine/gpus.h"
#include "trainer/commands/bench_metrics.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/device/device_flags.h"
#include "trainer/device/memory_shortage.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/rates/step_rate.h"

namespace letterpress {
namespace {

struct DoctorFlags {
  std::filesystem::path store;
  StepRateOptions step{.model = "yolov8n", .runs = 1, .seconds = 2};
  bool json = false;
};

void add_devices(Diagnosis& diagnosis) {
  const std::vector<std::string> names = gpus_of_driver();
  const auto seen = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  const std::string there = fmt::format("{}", fmt::join(names, ", "));
  diagnosis.add("gpus",
                names.empty() ? fmt::format("{}", seen)
                              : fmt::format("{}; PyTorch reaches {} of them", there, seen),
                {{"usable", seen}, {"of_driver", names}});
  if (seen > 0 || names.empty()) return;
  diagnosis.add_fault(
      at::globalContext().hasCUDART()
          ? fmt::format("PyTorch {} reaches none of {}; is the driver as new as its CUDA, and "
                        "CUDA_VISIBLE_DEVICES right?",
                        TORCH_VERSION, there)
          : fmt::format("PyTorch {} has no CUDA, and here is {}; install one that has",
                        TORCH_VERSION, there));
}

/// A training only reads its store, which may be mounted read-only: its largest shard tells how
/// fast. Without a store, runs are to lie here.
void add_disk_of(Diagnosis& diagnosis, const std::filesystem::path& store) {
  const std::filesystem::path shards = store / "shards";
  std::error_code ignored;
  if (store.empty() || !std::filesystem::is_directory(shards, ignored)) {
    add_disk(diagnosis, store.empty() ? "." : store);
    return;
  }
  std::filesystem::path largest;
  std::uintmax_t most = 0;
  for (const std::filesystem::path& shard : entries_of(shards)) {
    if (!std::filesystem::is_regular_file(shard)) continue;
    const std::uintmax_t bytes = std::filesystem::file_size(shard);
    if (bytes > most) largest = shard;
    most = std::max(most, bytes);
  }
  add_read_disk(diagnosis, store, largest);
}

/// What would hold a training up: measured for two seconds, and half a second for the loader.
void measure_training(Diagnosis& diagnosis, DoctorFlags& flags) {
  flags.step.threads = tell(limit_to_cores(flags.step.threads));
  const auto [store, reader, pictures] = open_split(flags.store, "", "train");
  const StepRate rate = measure_step_rate(reader, pictures, flags.step);
  const BenchMetrics loading = measure_bench(reader, pictures,
                                             {.rows = 500,
                                              .pixels = {rate.pixels},
                                              .runs = 1,
                                              .cold = false,
                                              .device = flags.step.device});
  for (const std::string& choice : loading.choices) diagnosis.add("loading", choice, choice);
  diagnosis.add("training",
                fmt::format("{:.1f} pictures/s of {} at {} ({}, {}); {}", rate.pictures.median,
                            flags.step.model, loading.side, rate.device, flags.step.precision,
                            limiter(rate.pictures.median, loading.supply)),
                {{"model", flags.step.model},
                 {"device", rate.device},
                 {"pictures_per_s", rate.pictures.median},
                 {"loaded_per_s", loading.supply.warm}});
}

/// The rest of the page is told even where nothing can be measured.
void add_training(Diagnosis& diagnosis, DoctorFlags& flags) {
  if (flags.store.empty()) {
    diagnosis.add("training", "give --store, and its rows and training steps are measured", {});
    return;
  }
  try {
    explaining_shortage("a smaller --batch takes less",
                        [&] { measure_training(diagnosis, flags); });
  } catch (const Error& error) {
    if (error.exit() == Exit::usage) throw;
    diagnosis.add_fault(error.what());
  }
}

int run_doctor(DoctorFlags& flags) {
  end_soon_when_stopped();  // it writes nothing that stays
  Diagnosis diagnosis;
  diagnosis.add("program",
                fmt::format("letterpress {}, PyTorch {}", LETTERPRESS_VERSION, TORCH_VERSION),
                {{"version", LETTERPRESS_VERSION}, {"torch", TORCH_VERSION}});
  add_processor(diagnosis);
  add_memory(diagnosis);
  add_devices(diagnosis);
  add_disk_of(diagnosis, flags.store);
  add_training(diagnosis, flags);
  std::cout << diagnosis.text();
  if (flags.json) std::cout << diagnosis.json().dump() << "\n";
  return diagnosis.is_healthy() ? 0 : static_cast<int>(Exit::configuration);
}

}  // namespace

Command doctor_command() {
  using F = Flag<DoctorFlags>;
  const auto of = [](auto option) { return member(&DoctorFlags::step, option); };
  FlagTable<DoctorFlags> table;
  table.add(
      {F("store", &DoctorFlags::store,
         "folder that letterpress-preprocess build made; none given: only the machine is "
         "looked at"),
       F("model", of(&StepRateOptions::model), "whose training steps are measured"),
       device_flag<DoctorFlags>(of(&StepRateOptions::device)).check([](const DoctorFlags& flags) {
         choose_device(flags.step.device);
       }),
       precision_flag<DoctorFlags>(of(&StepRateOptions::precision)),
       F("batch", of(&StepRateOptions::batch), "pictures per step").at_least(1),
       threads_flag<DoctorFlags>(of(&StepRateOptions::threads),
                                 "CPU threads of the arithmetic; 0: all cores"),
       json_flag<DoctorFlags>()});
  return command("doctor",
                 "what this machine has, how fast it trains on a store and what limits it; 78 when "
                 "something will not work",
                 table, run_doctor);
}

}  // namespace letterpress
