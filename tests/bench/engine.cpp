// letterpress-enginebench: pictures per second of a network alone, as letterpress-predict computes
// it: bytes of frames to what the network gives, by as many threads as the engine has lanes.
// Prints {"items_per_s": ..., "engine": ...}; scripts/bench/predict runs it.
#include "trainer/predict/engine.h"

#include <torch/types.h>

#include <atomic>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "letterpress/base/clock.h"
#include "letterpress/commandline/program.h"
#include "trainer/device/device.h"
#include "trainer/device/process_setup.h"

namespace letterpress {
namespace {

struct Flags {
  std::filesystem::path checkpoint;
  PredictorOptions predictor;
  double seconds = 3;
};

// Until the time is over. Returns how many batches.
std::int64_t compute(Engine& engine, std::int64_t batch, std::int64_t side, double seconds) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor frames = torch::full({batch, side, side, 3}, 97, torch::kByte);
  std::atomic<std::int64_t> done{0};
  const Clock::time_point begin = Clock::now();
  const auto lane = [&] {
    const torch::NoGradGuard no_gradient_here;
    for (; seconds_since(begin) < seconds; ++done) engine.forward(frames);
  };
  std::vector<std::thread> lanes;
  for (int i = 1; i < engine.lanes(); ++i) lanes.emplace_back(lane);
  lane();
  for (std::thread& other : lanes) other.join();
  return done;
}

int run(const Flags& flags) {
  const ModelFile model = read_model_file(flags.checkpoint);
  set_up_arithmetic(choose_device(flags.predictor.device), flags.predictor.threads, {});
  std::string note;
  const auto engine = make_engine(model, flags.predictor, note);
  if (!note.empty()) std::cerr << note << "\n";
  const std::int64_t batch = flags.predictor.batch, side = model.use.side;
  compute(*engine, batch, side, 0.3);  // memory and caches
  const Clock::time_point begin = Clock::now();
  const std::int64_t batches = compute(*engine, batch, side, flags.seconds);
  const double rate = static_cast<double>(batches * batch) / seconds_since(begin);
  std::cout << nlohmann::json{{"items_per_s", rate}, {"engine", engine->name()}}.dump() << "\n";
  return 0;
}

Command bench_command() {
  using F = Flag<Flags>;
  const auto of = [](auto option) { return member(&Flags::predictor, option); };
  FlagTable<Flags> table;
  table.add({F("checkpoint", &Flags::checkpoint, "as predict's").required(),
             F("engine", of(&PredictorOptions::engine), "as predict's"),
             F("batch", of(&PredictorOptions::batch), "pictures at once").at_least(1),
             F("threads", of(&PredictorOptions::threads), "CPU threads; 0: all cores").at_least(0),
             F("device", of(&PredictorOptions::device), "as predict's"),
             F("precision", of(&PredictorOptions::precision), "as predict's"),
             F("seconds", &Flags::seconds, "to compute")});
  return command("", "", table, [](const Flags& flags) {
    set_up_process();
    return run(flags);
  });
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program("letterpress-enginebench", "Measures the engines of letterpress-predict.",
                     {bench_command()}, argc, argv);
}
