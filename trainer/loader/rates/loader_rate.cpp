#include "trainer/loader/rates/loader_rate.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "trainer/loader/batch_sequence.h"

namespace letterpress {
namespace {

BatchLoader make_loader(const LoaderTrial& trial) {
  return {trial.reader,
          training_sequence(trial.pictures,
                            {.global_batch = trial.loading.batch, .window = trial.window}, 0, 1),
          0, trial.loading};
}

LoaderClock& clock_of(const LoaderTrial& trial) {
  static LoaderClock steady;
  return trial.loading.clock ? *trial.loading.clock : steady;
}

double seconds_since(LoaderClock& clock, Clock::time_point begin) {
  return std::chrono::duration<double>(clock.now() - begin).count();
}

/// Seconds for the next `batches`.
double time_batches(BatchLoader& loader, LoaderClock& clock, std::int64_t batches) {
  const Clock::time_point begin = clock.now();
  for (std::int64_t b = 0; b < batches; ++b) loader.next();
  return seconds_since(clock, begin);
}

/// Batches of a timed pass: those of the trial, repeated until the pass lasts, and many more than
/// the buffers, which were filled before the pass began. Takes one pass, which also pays what the
/// first batches cost only once; it is longer than the buffers, or on a busy machine all of it may
/// be there before its time begins.
std::int64_t lasting_batches(BatchLoader& loader, const LoaderTrial& trial) {
  const std::int64_t timed = std::max<std::int64_t>(trial.batches(), 2 * trial.loading.buffers);
  const double seconds = time_batches(loader, clock_of(trial), timed) *
                         static_cast<double>(trial.batches()) / static_cast<double>(timed);
  return std::max<std::int64_t>(trial.batches() * repeats_to_last(seconds),
                                8 * trial.loading.buffers);
}

double rate_of_pass(BatchLoader& loader, const LoaderTrial& trial, std::int64_t batches) {
  return static_cast<double>(batches * trial.loading.batch) /
         time_batches(loader, clock_of(trial), batches);
}

void drop_from_page_cache(const SnapshotReader& reader) {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(reader.snapshot().shards.size()); ++i)
    ::posix_fadvise(reader.shard(i).descriptor(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace

LoaderTrial make_trial(const SnapshotReader& reader, std::vector<PictureRows> pictures,
                       const TrialOptions& options) {
  for (PictureRows& picture : pictures) picture.augmented.clear();
  if (options.window.block > 0) put_in_disk_order(pictures);
  pictures.resize(std::min(pictures.size(), static_cast<std::size_t>(options.rows)));
  LoaderOptions loading = options.loading;
  loading.batch = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(loading.batch), pictures.size()));
  loading.advise = static_cast<int>(options.window.samples() / loading.batch);
  return {.reader = reader,
          .pictures = std::move(pictures),
          .loading = loading,
          .window = options.window,
          .runs = options.runs};
}

std::int64_t LoaderTrial::batches() const {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(pictures.size()) / loading.batch);
}

Rate warm_rate(const LoaderTrial& trial) {
  BatchLoader loader = make_loader(trial);
  const std::int64_t batches = lasting_batches(loader, trial);
  std::vector<double> rates;
  for (int run = 0; run < trial.runs; ++run) rates.push_back(rate_of_pass(loader, trial, batches));
  return rate_of(rates);
}

VerifiedRate verified_rate(const LoaderTrial& trial) {
  LoaderTrial checked = trial, unchecked = trial;
  checked.runs = unchecked.runs = 1;
  checked.loading.verify = VerifyRows::always;
  unchecked.loading.verify = VerifyRows::never;
  std::vector<double> rates, added;
  for (int run = 0; run < trial.runs; ++run) {
    const double plain = warm_rate(unchecked).median;
    rates.push_back(warm_rate(checked).median);
    added.push_back(plain / rates.back() - 1);
  }
  return {.rate = rate_of(rates), .added = rate_of(added).median};
}

Rate cold_rate(const LoaderTrial& trial) {
  std::vector<double> rates;
  for (int run = 0; run < trial.runs; ++run) {
    drop_from_page_cache(trial.reader);
    BatchLoader loader = make_loader(trial);
    rates.push_back(rate_of_pass(loader, trial, trial.batches()));
  }
  return rate_of(rates);
}

namespace {

// A busy machine wakes a sleeper late: a pass of sleeps may last many times what it should.
constexpr double kLongestPacedPass_s = 5;

/// Share of its time that a consumer waits which sleeps for `step` after each batch.
double waiting_of(BatchLoader& loader, const LoaderTrial& trial, std::int64_t batches,
                  std::chrono::duration<double> step) {
  LoaderClock& clock = clock_of(trial);
  // The first batches cannot be there before they are asked for.
  for (int b = 0; b < trial.loading.buffers; ++b, clock.sleep(step)) loader.next();
  const double waited_before_s = loader.waited_s();
  const Clock::time_point begin = clock.now();
  const std::int64_t least = 8 * trial.loading.buffers;
  for (std::int64_t b = 0;
       b < batches && (b < least || seconds_since(clock, begin) < kLongestPacedPass_s);
       ++b, clock.sleep(step))
    loader.next();
  return (loader.waited_s() - waited_before_s) / seconds_since(clock, begin);
}

}  // namespace

Pacing paced(const LoaderTrial& trial, double times) {
  BatchLoader loader = make_loader(trial);
  const std::int64_t batches = lasting_batches(loader, trial);
  std::vector<double> rates, shares;
  for (int run = 0; run < trial.runs; ++run) {
    rates.push_back(rate_of_pass(loader, trial, batches) / times);
    const std::chrono::duration<double> step(trial.loading.batch / rates.back());
    shares.push_back(waiting_of(loader, trial, batches, step));
  }
  return {.rate = rate_of(rates).median, .waiting = rate_of(shares).median};
}

}  // namespace letterpress
