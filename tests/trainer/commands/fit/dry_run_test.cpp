#include "trainer/commands/fit/dry_run.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/trainer/fit/hanging_read.h"
#include "tests/trainer/fit/run_bench.h"

using namespace letterpress;

namespace {

DryRun dry_run_of(const FitOptions& options) {
  return dry_run(options, [](const std::string&) {});
}

std::string printed(const DryRun& run) {
  std::ostringstream text;
  print(run, text);
  return text.str();
}

}  // namespace

TEST_CASE("--read-deadline ends a dry run whose read hangs, too") {
  check_ended_by_read_deadline(dry_run_of);
}

TEST_CASE("--replay: an epoch of a dry run has what is new, and the share of what was known") {
  RunBench bench;
  Trainer(bench.options("first", 1)).run();
  DrawnStore{.train = 12, .val = 2, .views = 2}.publish(bench.dir / "store");
  FitOptions options = bench.options("second", 1);
  options.init = bench.dir / "first";
  options.replay = 0.5;
  CHECK(dry_run_of(options).pictures == 8);  // 4 new ones, 4 of the 8 of before
}

TEST_CASE("a resumed dry run has the batch that the run was begun with") {
  RunBench bench;
  FitOptions options = bench.options("run", 2);
  options.batch = 16;  // the run has batches of all its 8 pictures
  options.snapshot = "follow";
  options.hooks.before_step = [store = bench.dir / "store"](std::int64_t step) {
    if (step == 1) DrawnStore{.train = 5, .val = 2, .views = 2}.publish(store);
  };
  CHECK(Trainer(options).run().done.step == 2);
  options.resume = true;
  const DryRun run = dry_run_of(options);
  CHECK(run.batch == 8);
  CHECK(run.pictures == 5);
}

TEST_CASE("start weights count as weights, not as part of a batch") {
  RunBench bench;
  Trainer(bench.options("first", 1)).run();
  FitOptions options = bench.options("second", 1);
  options.optimiser = "adamw";
  options.ema = 0.999;
  const DryRun::Memory fresh = dry_run_of(options).memory;
  options.init = bench.dir / "first";
  const DryRun::Memory memory = dry_run_of(options).memory;
  CHECK(memory.batch == fresh.batch);
  CHECK(memory.batch < 1 << 20);  // numbers of 4 pictures of side 64 lie in the loader
  // Two moments and the averages: three times the weights.
  CHECK(static_cast<double>(memory.beside) / static_cast<double>(memory.weights) ==
        doctest::Approx(3).epsilon(0.02));
}

TEST_CASE("what the disk gives is told where there is one, and the bus of a CUDA device") {
  DryRun run{.pictures_per_s = 1000,
             .pictures = 10,
             .row_bytes = 1e6,
             .supply = {.warm = 5000, .cold = 2000}};
  CHECK(
      printed(run).find("\nloader   needed 1.0000 GB/s; delivered 5.00 GB/s from memory, 2.00 GB/s "
                        "from the disk\n") != std::string::npos);
  CHECK(json_of(run).at("loader").at("cold_per_s") == 2000);
  CHECK_FALSE(json_of(run).at("loader").contains("bus_per_s"));
  run.supply.bus = 800;
  CHECK(json_of(run).at("loader").at("bus_per_s") == 800);
  run.supply.cold.reset();
  run.not_cold = "tmpfs";
  CHECK(printed(run).find("\nloader   needed 1.0000 GB/s; delivered 5.00 GB/s from memory; tmpfs "
                          "is not a disk\n") != std::string::npos);
  CHECK(json_of(run).at("loader").at("not_cold") == "tmpfs");
  CHECK_FALSE(json_of(run).at("loader").contains("cold_per_s"));
}
