#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/trainer/device/simulated_device.h"
#include "trainer/device/copies_ahead.h"
#include "trainer/device/device_progress.h"

using namespace letterpress;

namespace {

constexpr std::size_t kImages = 6, kLabels = 2, kSlot = kImages + kLabels;

/// Schedules of each program: 20,000, or as many as the environment's LETTERPRESS_SCHEDULES says.
std::uint64_t schedules() {
  const char* const text = std::getenv("LETTERPRESS_SCHEDULES");
  return text ? std::stoull(text) : 20'000;
}

/// A loader whose batches become 1, 2, 3, ... It reads the next but one into a batch's memory as
/// soon as it is asked for the next.
class Loader {
 public:
  Loader(SimulatedDevice& device, int batches) : device_(device), batches_(batches) {}

  CopiesAhead::Fetched fetch(std::size_t slot) {
    if (given_ > 0) device_.host_fill(images_[given_ % 2].data(), kImages, 0xEE);
    if (given_ == batches_) return {};
    ++given_;
    device_.host_fill(images_[given_ % 2].data(), kImages, given_);
    device_.host_fill(labels_[slot].data(), kLabels, given_);
    return {.pieces = {{images_[given_ % 2].data(), kImages, 0},
                       {labels_[slot].data(), kLabels, kImages}}};
  }
  /// Its memory goes to others.
  void end() {
    for (auto& images : images_) device_.host_fill(images.data(), kImages, 0xEE);
    for (auto& labels : labels_) device_.host_fill(labels.data(), kLabels, 0xEE);
  }

 private:
  SimulatedDevice& device_;
  int batches_, given_ = 0;
  std::array<std::array<std::byte, kImages>, 2> images_{};
  std::array<std::array<std::byte, kLabels>, 2> labels_{};
};

/// Work of the compute stream with memory that is let go of while it is still queued.
void use_some_memory(SimulatedDevice& device) {
  std::array<DeviceStreams::Memory, 3> blocks;
  for (auto& block : blocks) {
    block = device.allocate(kSlot);
    device.fill(block.get(), kSlot, 0x77);
  }
  for (auto& block : blocks) device.check(block.get(), kSlot, 0x77);
}

/// How a program uses a feed: `steps` of `batches`, with or without reading ahead.
struct Feeding {
  int batches = 6, steps = 6;
  bool reads_ahead = true, asks_how_starved = true;
  bool reads_images = true;   ///< else the labels only
  bool copies_labels = true;  ///< else they are read where they came
};

/// As trainer/fit/step/device_feed.cpp and a step use CopiesAhead, between other work: images
/// become floats at once, labels are read until the step's end, when the slot is free again.
void feed_steps(SimulatedDevice& device, const Feeding& way) {
  use_some_memory(device);
  Loader loader(device, way.batches);
  {
    CopiesAhead copies(device, kSlot, [&](std::size_t slot) { return loader.fetch(slot); });
    const auto images = device.allocate(kImages);
    DeviceStreams::Memory copied;
    for (int step = 1; step <= way.steps; ++step) {
      const std::byte* labels = nullptr;
      const bool is_there = copies.next([&](std::size_t slot) {
        labels = copies.memory(slot) + kImages;
        if (way.reads_images) device.increment(images.get(), copies.memory(slot), kImages);
        if (!way.copies_labels) return;
        copied = copy_of(device, labels, kLabels);
        labels = copied.get();
      });
      CHECK(is_there == (step <= way.batches));
      if (!is_there) break;
      if (way.reads_images) device.check(images.get(), kImages, step + 1);
      device.check(labels, kLabels, step);
      if (way.reads_ahead) copies.prefetch();
      if (way.asks_how_starved && step % 3 == 0) copies.starved_s();
    }
  }
  loader.end();
  use_some_memory(device);
}

/// As trainer/fit/step/step_graph.cpp does it: each step's batch is copied to where the work reads
/// it, the work's gradient is used by the step's end, and its totals later.
void graph_steps(SimulatedDevice& device, int steps, bool copies_totals = true) {
  CapturedWork captured(std::make_unique<SimulatedDevice::Graph>(device));
  const auto input = device.allocate(kSlot), weights = device.allocate(kSlot);
  DeviceStreams::Memory gradient, result, totals;
  const std::byte* last_totals = nullptr;
  device.fill(weights.get(), kSlot, 0);
  for (int step = 1; step <= steps; ++step) {
    use_some_memory(device);
    device.fill(input.get(), kSlot, step);
    const bool replayed = captured.run(
        [&] {
          const auto passing = device.allocate(kSlot), loss = device.allocate(kSlot);
          result = device.allocate(kSlot);
          if (!gradient) gradient = device.allocate(kSlot);
          device.increment(passing.get(), input.get(), kSlot);
          device.increment(loss.get(), passing.get(), kSlot);
          device.increment(gradient.get(), loss.get(), kSlot);
          device.increment(result.get(), loss.get(), kSlot);
        },
        true);
    if (last_totals) device.check(last_totals, kSlot, step - 1 + 3);
    last_totals = result.get();
    if (!replayed || copies_totals) {
      totals = replayed ? copy_of(captured.streams(), result.get(), kSlot) : std::move(result);
      last_totals = totals.get();
    }
    device.check(gradient.get(), kSlot, step + 3);
    device.increment(weights.get(), gradient.get(), kSlot);
    device.check(weights.get(), kSlot, step + 4);
    use_some_memory(device);
  }
  CHECK(captured.captured());
}

using Program = std::function<void(SimulatedDevice&)>;
struct NamedProgram {
  std::string name;
  Program run;
};

std::vector<NamedProgram> programs() {
  const auto fed = [](const Feeding& way) {
    return [way](SimulatedDevice& device) { feed_steps(device, way); };
  };
  return {{"a feed read to its end", fed({.steps = 7})},
          {"a feed that ends with a copy ahead", fed({.steps = 4})},
          {"a feed that never reads ahead", fed({.reads_ahead = false})},
          {"a feed of one batch, nobody asks how it starved",
           fed({.batches = 1, .steps = 1, .asks_how_starved = false})},
          {"a graph", [](SimulatedDevice& device) { graph_steps(device, 7); }}};
}

bool goes_wrong(const Program& run, std::uint64_t seed, int dropped_wait = -1) {
  SimulatedDevice device(seed, dropped_wait);
  run(device);
  return device.finish();
}

struct Analysis {
  bool has_race = false;
  int waits = 0;
};
Analysis analyse(const Program& run, int dropped_wait = -1) {
  SimulatedDevice device(1, dropped_wait, SimulatedDevice::Watch::races);
  run(device);
  device.finish();
  return {device.has_race(), device.waits()};
}

}  // namespace

TEST_CASE(
    "no schedule of the streams gives a step bytes that are not there yet, or overwrites some that "
    "are still read") {
  for (const auto& [name, run] : programs()) {
    CAPTURE(name);
    CHECK_FALSE(analyse(run).has_race);
    std::uint64_t wrong = 0;
    for (std::uint64_t seed = 0; seed < schedules(); ++seed) wrong += goes_wrong(run, seed);
    CHECK(wrong == 0);
    MESSAGE(name, ": ", schedules(), " schedules, ", wrong, " wrong");
  }
}

TEST_CASE("each wait without which something is not ordered is missed by a schedule, no other is") {
  constexpr std::uint64_t kMost = 20'000;
  int needed = 0, waits = 0;
  for (const auto& [name, run] : programs()) {
    CAPTURE(name);
    const int of_program = analyse(run).waits, needed_before = needed;
    waits += of_program;
    for (int wait = 0; wait < of_program; ++wait) {
      CAPTURE(wait);
      const bool is_needed = analyse(run, wait).has_race;
      std::uint64_t seed = 0;
      while (seed < (is_needed ? kMost : 500) && !goes_wrong(run, seed, wait)) ++seed;
      const bool is_found = seed < (is_needed ? kMost : 500);
      CHECK(is_found == is_needed);
      needed += is_needed;
    }
    CHECK(needed > needed_before);
  }
  CHECK(needed == 67);  // docs/reliability.md says both
  CHECK(waits == 83);
}

TEST_CASE("a wait without which a step's labels are wrong is missed by the labels alone") {
  const auto labels = [](SimulatedDevice& device) { feed_steps(device, {.reads_images = false}); };
  int found = 0;
  for (int wait = 0; wait < analyse(labels).waits; ++wait) {
    std::uint64_t seed = 0;
    while (seed < 2'000 && !goes_wrong(labels, seed, wait)) ++seed;
    found += seed < 2'000;
  }
  CHECK(found >= 10);
  MESSAGE(found, " of ", analyse(labels).waits, " waits are found by the labels alone");
}

TEST_CASE("labels read in their slot, and a replay's totals read where it wrote them, are found") {
  const std::vector<Program> without_copies{
      [](SimulatedDevice& device) {
        feed_steps(device, {.reads_images = false, .copies_labels = false});
      },
      [](SimulatedDevice& device) { graph_steps(device, 7, false); }};
  for (const Program& run : without_copies) {
    std::uint64_t seed = 0;
    while (seed < 20'000 && !goes_wrong(run, seed)) ++seed;
    CHECK(seed < 20'000);
  }
}

TEST_CASE(
    "a device that does not get on says whether it computes or waits for other ranks, however far "
    "its host is ahead") {
  for (const bool hangs_in_own_work : {true, false}) {
    CAPTURE(hangs_in_own_work);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SimulatedDevice device(seed);
      DeviceProgress progress(device);
      CHECK_FALSE(progress.look().waits);
      for (int step = 1; step <= 5; ++step) {
        const auto memory = device.allocate(kSlot);
        device.fill(memory.get(), kSlot, step);
        if (step == 3 && hangs_in_own_work) device.hold();
        progress.begin_wait();
        if (step == 3 && !hangs_in_own_work) device.hold();  // as NCCL's kernel for the others
        progress.end_wait();
      }
      device.finish();
      CHECK(progress.look().waits != hangs_in_own_work);
      CHECK(progress.look().passed == (hangs_in_own_work ? 4 : 5));
      device.release();
      device.finish();
      CHECK(progress.look().passed == 10);
      CHECK_FALSE(progress.look().waits);
    }
  }
}
