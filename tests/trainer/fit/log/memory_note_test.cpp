#include "tests/trainer/fit/run_bench.h"
#include "trainer/fit/options/multi_scale.h"

using namespace letterpress;

namespace {

std::vector<std::string> memory_notes(RunBench& bench, const FitOptions& options) {
  bench.notes.clear();
  Trainer(options).run();
  std::vector<std::string> found;
  for (const std::string& note : bench.notes) {
    if (note.starts_with("memory: ")) found.push_back(note.substr(note.find(" resident")));
  }
  return found;
}

}  // namespace

TEST_CASE(
    "the memory taken is told once, after the first step, before the first epoch's metrics; again "
    "when layers thaw") {
  RunBench bench({.train = 8, .val = 2, .views = 2});
  CHECK(memory_notes(bench, bench.options("run", 2)) ==
        std::vector<std::string>{" resident at most, after a step"});
  const auto first = [&](const std::string& begin) {
    return std::find_if(bench.notes.begin(), bench.notes.end(),
                        [&](const std::string& note) { return note.starts_with(begin); });
  };
  CHECK(first("memory: ") < first("epoch 1/2: "));
  FitOptions frozen = bench.options("frozen", 2);
  frozen.freeze = "backbone";
  frozen.freeze_epochs = 1;
  CHECK(memory_notes(bench, frozen).size() == 2);
}

TEST_CASE(
    "with --multi-scale the memory of the largest side is told, too, and before it that there is a "
    "larger one") {
  RunBench bench({.train = 8, .val = 0, .views = 2});
  FitOptions options = bench.options("run", 6);  // of 2 steps
  options.multi_scale = "32-96";
  options.scale_every = 1;
  std::vector<std::string> wanted;
  for (std::int64_t step = 0; step < 12 && (wanted.empty() || wanted.back().ends_with("more"));
       ++step) {
    const int side = side_of_step({32, 96}, 1, options.seed, step);
    if (side == 96)
      wanted.push_back(" resident at most, after a step of side 96");
    else if (wanted.empty())
      wanted.push_back(" resident at most, after a step of side " + std::to_string(side) +
                       "; those of side 96 will take more");
  }
  REQUIRE(wanted.back().ends_with("96"));
  CHECK(memory_notes(bench, options) == wanted);
}
