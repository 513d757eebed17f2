#include <doctest/doctest.h>

#include <algorithm>

#include "tests/trainer/loader/sample_store.h"
#include "tests/trainer/loader/simulated_disk.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/batch_sequence.h"

using namespace letterpress;

namespace {

using Seconds = SimulatedDisk::Seconds;

constexpr int kBatch = 32;
constexpr Seconds kRowTime{0.001};

LoaderOptions options() { return {.batch = kBatch, .buffers = 4, .verify = VerifyRows::always}; }

/// Seconds per batch of a loader whose consumer does nothing: its own time. Median.
double own_time(const SampleStore& store, const BatchSequence& sequence) {
  LoaderOptions loading = options();
  SimulatedDisk disk(kRowTime, loading);
  BatchLoader loader(store.reader(), sequence, 0, loading);
  std::vector<double> times;
  for (int b = 0; b < 30; ++b) {
    const Clock::time_point begin = disk.now();
    loader.next();
    if (b >= 5) times.push_back(Seconds(disk.now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + 12, times.end());
  return times[12];
}

/// Share of its time that a consumer waits for data when its step takes `step_s`.
double waiting_share(const SampleStore& store, const BatchSequence& sequence, double step_s,
                     Seconds row_time) {
  LoaderOptions loading = options();
  SimulatedDisk disk(row_time, loading);
  BatchLoader loader(store.reader(), sequence, 0, loading);
  for (int b = 0; b < 3; ++b) {  // the first batches cannot be there before they are asked for
    loader.next();
    disk.sleep(Seconds(step_s));
  }
  const double waited = loader.waited_s();
  const Clock::time_point begin = disk.now();
  for (int b = 0; b < 30; ++b) {
    loader.next();
    disk.sleep(Seconds(step_s));
  }
  return (loader.waited_s() - waited) / Seconds(disk.now() - begin).count();
}

}  // namespace

TEST_CASE(
    "a consumer that takes a batch every 1.1 x the loader's own time waits less than 1 %, and a "
    "slowed reader shows") {
  const SampleStore store(64, 0);
  const auto sequence = training_sequence(
      store.train(), {.seed = 1, .global_batch = kBatch, .first_clean_epoch = 0}, 0, 1);
  const double own = own_time(store, sequence);
  CHECK(own == doctest::Approx(kBatch * kRowTime.count()));
  CHECK(waiting_share(store, sequence, 1.1 * own, kRowTime) < 0.01);
  // A reader that takes three times as long: two thirds of the time are waiting.
  CHECK(waiting_share(store, sequence, 1.1 * own, 3 * kRowTime) > 0.4);
}

TEST_CASE("nothing is waited for before the first batch is asked for") {
  const SampleStore store(4, 0);
  BatchLoader loader(
      store.reader(),
      training_sequence(store.train(), {.seed = 1, .global_batch = 2, .first_clean_epoch = 0}, 0,
                        1),
      0, {.batch = 2});
  CHECK(loader.waited_s() == 0);
}
