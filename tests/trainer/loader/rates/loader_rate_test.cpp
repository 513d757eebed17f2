#include "trainer/loader/rates/loader_rate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <utility>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/sample_store.h"
#include "tests/trainer/loader/simulated_disk.h"
#include "trainer/loader/rates/ceilings.h"

using namespace letterpress;
using namespace std::chrono_literals;

namespace {

LoaderTrial trial_of(const SampleStore& store) {
  return {.reader = store.reader(), .pictures = store.train(), .loading = {.batch = 4}, .runs = 3};
}

}  // namespace

TEST_CASE("ceilings are found for every kind of pixels") {
  const Ceilings ceilings =
      measure_ceilings({.row_bytes = 3 * 64 * 64, .rows = 50, .batch = 4, .threads = 2, .runs = 3});
  for (const Rate& rate :
       {ceilings.copy, ceilings.stream_copy, ceilings.float32, ceilings.bfloat16}) {
    CHECK(rate.low > 0);
    CHECK(rate.low <= rate.median);
    CHECK(rate.median <= rate.high);
  }
}

TEST_CASE("a pass reads each row once, view 0, and a slow disk shows in the rate") {
  const SampleStore store(12, 2);
  LoaderTrial trial = trial_of(store);
  std::mutex mutex;
  std::multiset<std::int64_t> rows;
  SimulatedDisk disk(2.1ms, trial.loading);
  trial.loading.before_read = [&](const RowPlace& place) {
    const std::lock_guard lock(mutex);
    if (place.shard == 0) rows.insert(place.row);
    disk.read_row();
  };
  const Rate cold = cold_rate(trial);
  CHECK(rows.size() >= 3 * 12);
  CHECK(std::set<std::int64_t>(rows.begin(), rows.end()).size() == 12);
  CHECK(cold.median < 500);  // rows of 2 ms each, and a little
  CHECK(warm_rate(trial).median < 500);
  CHECK(warm_rate(trial_of(store)).median > 500);
}

TEST_CASE(
    "a trial has view 0 of the first pictures, with windows of those that lie first on the disk") {
  const SampleStore store(12, 2);
  std::vector<PictureRows> pictures = store.train();
  std::reverse(pictures.begin(), pictures.end());
  const LoaderTrial trial =
      make_trial(store.reader(), pictures, {.rows = 3, .loading = {.batch = 4}});
  const LoaderTrial windowed =
      make_trial(store.reader(), pictures,
                 {.rows = 3, .loading = {.batch = 4}, .window = {.block = 4, .blocks = 2}});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(trial.pictures[i].clean == RowPlace{0, 11 - static_cast<std::int64_t>(i)});
    CHECK(windowed.pictures[i].clean == RowPlace{0, static_cast<std::int64_t>(i)});
    CHECK(windowed.pictures[i].augmented.empty());
  }
  CHECK(trial.pictures.size() == 3);
  CHECK(trial.loading.batch == 3);
  CHECK(trial.loading.advise == 0);
  CHECK(windowed.loading.advise == 2);  // a window of 8 rows in batches of 3
  CHECK(warm_rate(windowed).median > 0);
}

TEST_CASE("a pass that is too short to measure is repeated") {
  const SampleStore store(4, 0);
  LoaderTrial trial = trial_of(store);
  trial.runs = 1;
  trial.loading.threads = 1;
  int rows = 0;
  trial.loading.before_read = [&](const RowPlace&) { ++rows; };
  warm_rate(trial);
  CHECK(rows > 100);  // of 3 kB each
}

TEST_CASE("verified and unverified rows are measured in turn, which gives what verification adds") {
  const SampleStore store(4, 0);
  LoaderTrial trial = trial_of(store);
  trial.runs = 2;
  SimulatedDisk disk(10.1ms, trial.loading);
  const VerifiedRate slow = verified_rate(trial);  // 3 kB are nothing beside 10 ms
  CHECK(std::abs(slow.added) < 0.3);
  CHECK(slow.rate.median < 100);
  trial.loading.before_read = {};
  trial.loading.clock = nullptr;
  store.damage(0, 2);
  CHECK_THROWS_AS(verified_rate(trial), Error);  // each row is checked
}

TEST_CASE("with fewer pictures than a batch a pass is one batch") {
  const SampleStore store(3, 0);
  LoaderTrial trial = trial_of(store);
  CHECK(trial.batches() == 1);
  CHECK(warm_rate(trial).median > 0);
}

TEST_CASE(
    "a timed run takes at least eight times what the buffers hold, so that what was in them does "
    "not count") {
  const SampleStore store(3, 0);
  LoaderTrial trial = trial_of(store);
  trial.runs = 1;
  std::atomic<int> rows = 0;
  SimulatedDisk disk(20ms, trial.loading);  // a pass lasts long enough alone
  trial.loading.before_read = [&](const RowPlace&) {
    ++rows;
    disk.read_row();
  };
  warm_rate(trial);
  CHECK(rows >= 8 * trial.loading.buffers * trial.loading.batch);
}

namespace {

// Of a busy machine: the consumer goes on a second after its loader was made.
struct LateDisk final : SimulatedDisk {
  using SimulatedDisk::SimulatedDisk;
  bool late = false;
  Clock::time_point now() override {
    if (!std::exchange(late, true)) sleep(1s);
    return SimulatedDisk::now();
  }
};

}  // namespace

TEST_CASE("batches that were there before the time began do not make a pass of hours") {
  const SampleStore store(3, 0);
  LoaderTrial trial = trial_of(store);
  trial.runs = 1;
  std::atomic<int> rows = 0;
  LateDisk disk(20ms, trial.loading);
  trial.loading.before_read = [&](const RowPlace&) {
    ++rows;
    disk.read_row();
  };
  CHECK(warm_rate(trial).median < 51);
  CHECK(rows <= 40 * trial.loading.batch);
}

TEST_CASE("a slow consumer hardly waits, a fast one waits for a slow reader") {
  const SampleStore store(16, 0);
  LoaderTrial trial = trial_of(store);
  trial.runs = 1;
  SimulatedDisk disk(5.1ms, trial.loading);
  const Pacing slow_consumer = paced(trial, 4);  // rows of 5 ms and a little: 50/s at most
  CHECK(slow_consumer.rate > 20);
  CHECK(slow_consumer.rate <= 50);
  CHECK(slow_consumer.waiting < 0.3);
  const Pacing fast_consumer = paced(trial, 0.1);
  CHECK(fast_consumer.rate > 10 * slow_consumer.rate);
  CHECK(fast_consumer.waiting > 0.5);
  const Pacing own_pace = paced(trial, 1.1);
  CHECK(own_pace.rate > 100);
  CHECK(own_pace.rate < 200);
}

namespace {

// Of a busy machine: whoever sleeps wakes a second later.
struct LateClock final : LoaderClock {
  std::atomic<int> sleeps = 0;
  Clock::time_point now() override { return Clock::now() + std::chrono::seconds(sleeps); }
  void sleep(std::chrono::duration<double>) override { ++sleeps; }
};

}  // namespace

TEST_CASE("a paced consumer that wakes late does not go on for minutes") {
  const SampleStore store(4, 0);
  LoaderTrial trial = trial_of(store);
  trial.runs = 1;
  LateClock clock;
  trial.loading.clock = &clock;
  CHECK(paced(trial, 1.1).rate > 0);
  CHECK(clock.sleeps <= 9 * trial.loading.buffers + 1);
}
