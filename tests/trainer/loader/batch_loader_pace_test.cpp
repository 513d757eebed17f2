#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/batch_sequence.h"

using namespace letterpress;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kBatch = 32;

LoaderOptions options(std::function<void(const RowPlace&)> before_read = {}) {
  // Each checksum is verified, so that no batch is cheaper than another.
  return {.batch = kBatch,
          .threads = 1,
          .buffers = 4,
          .verify = VerifyRows::always,
          .before_read = std::move(before_read)};
}

/// Seconds per batch of a loader whose consumer does nothing: its own time. Median.
double own_time(const SampleStore& store, const BatchLoader::Sequence& sequence) {
  BatchLoader loader(store.reader(), sequence, 0, options());
  std::vector<double> times;
  for (int b = 0; b < 30; ++b) {
    const Clock::time_point begin = Clock::now();
    loader.next();
    if (b >= 5) times.push_back(Seconds(Clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + 12, times.end());
  return times[12];
}

/// Share of its time that a consumer waits for data when its step takes `step_s`.
double waiting_share(const SampleStore& store, const BatchLoader::Sequence& sequence, double step_s,
                     const LoaderOptions& loading) {
  BatchLoader loader(store.reader(), sequence, 0, loading);
  for (int b = 0; b < 3; ++b) {  // the first batches cannot be there before they are asked for
    loader.next();
    std::this_thread::sleep_for(Seconds(step_s));
  }
  const double waited = loader.waited_s();
  const Clock::time_point begin = Clock::now();
  for (int b = 0; b < 30; ++b) {
    loader.next();
    std::this_thread::sleep_for(Seconds(step_s));
  }
  return (loader.waited_s() - waited) / Seconds(Clock::now() - begin).count();
}

}  // namespace

TEST_CASE(
    "a consumer that takes a batch every 1.1 x the loader's own time waits less than 1 %, and a "
    "slowed reader shows") {
  const SampleStore store(64, 0, 416);
  const auto sequence = training_sequence(
      store.train(), {.seed = 1, .global_batch = kBatch, .first_clean_epoch = 0}, 0, 1);
  // Other programs steal time from reader and consumer alike: the claim is about a run that they
  // left alone.
  double share = 1, own = 0;
  for (int attempt = 0; attempt < 8 && share >= 0.01; ++attempt) {
    own = own_time(store, sequence);
    share = waiting_share(store, sequence, 1.1 * own, options());
    MESSAGE("own time " << own * 1e3 << " ms per batch, waited " << share * 100 << " %");
  }
  CHECK(share < 0.01);

  // A reader that takes at least three times as long: two thirds of the time are waiting.
  const auto slow_down = [own](const RowPlace&) {
    std::this_thread::sleep_for(Seconds(2 * own / kBatch));
  };
  const double slowed = waiting_share(store, sequence, 1.1 * own, options(slow_down));
  MESSAGE("slowed on purpose: waited " << slowed * 100 << " %");
  CHECK(slowed > 0.4);
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
