#include "trainer/loader/loader_rate.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "letterpress/base/clock.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {
namespace {

BatchLoader make_loader(const LoaderTrial& trial) {
  return {trial.reader,
          training_sequence(trial.pictures,
                            {.global_batch = trial.loading.batch, .window = trial.window}, 0, 1),
          0, trial.loading};
}

/// Batches of a timed pass: those of the trial, as often as it takes to last, and many beside the
/// buffers: what lies there when it begins was made before it. What the first of them costs once is
/// over then.
std::int64_t lasting_batches(BatchLoader& loader, const LoaderTrial& trial) {
  const Clock::time_point begin = Clock::now();
  for (std::int64_t b = 0; b < trial.batches(); ++b) loader.next();
  return std::max<std::int64_t>(trial.batches() * repeats_to_last(seconds_since(begin)),
                                8 * trial.loading.buffers);
}

double rate_of_pass(BatchLoader& loader, std::int64_t batches, int batch) {
  const Clock::time_point begin = Clock::now();
  for (std::int64_t b = 0; b < batches; ++b) loader.next();
  return static_cast<double>(batches * batch) / seconds_since(begin);
}

void let_go(const SnapshotReader& reader) {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(reader.snapshot().shards.size()); ++i)
    ::posix_fadvise(reader.shard(i).descriptor(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace

LoaderTrial make_trial(const SnapshotReader& reader, std::vector<PictureRows> pictures,
                       const TrialWishes& wishes) {
  for (PictureRows& picture : pictures) picture.augmented.clear();
  if (wishes.window.block > 0) put_in_disk_order(pictures);
  pictures.resize(std::min(pictures.size(), static_cast<std::size_t>(wishes.rows)));
  LoaderOptions loading = wishes.loading;
  loading.batch = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(loading.batch), pictures.size()));
  loading.advise = static_cast<int>(wishes.window.samples() / loading.batch);
  return {.reader = reader,
          .pictures = std::move(pictures),
          .loading = loading,
          .window = wishes.window,
          .runs = wishes.runs};
}

std::int64_t LoaderTrial::batches() const {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(pictures.size()) / loading.batch);
}

Rate warm_rate(const LoaderTrial& trial) {
  BatchLoader loader = make_loader(trial);
  const std::int64_t batches = lasting_batches(loader, trial);
  std::vector<double> rates;
  for (int run = 0; run < trial.runs; ++run)
    rates.push_back(rate_of_pass(loader, batches, trial.loading.batch));
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
    let_go(trial.reader);
    BatchLoader loader = make_loader(trial);
    const Clock::time_point begin = Clock::now();  // its memory is there, its readers begin
    for (std::int64_t b = 0; b < trial.batches(); ++b) loader.next();
    rates.push_back(static_cast<double>(trial.batches() * trial.loading.batch) /
                    seconds_since(begin));
  }
  return rate_of(rates);
}

Pacing paced(const LoaderTrial& trial, double times) {
  BatchLoader loader = make_loader(trial);
  const std::int64_t batches = lasting_batches(loader, trial);
  std::vector<double> rates, shares;
  for (int run = 0; run < trial.runs; ++run) {
    rates.push_back(rate_of_pass(loader, batches, trial.loading.batch) / times);
    const std::chrono::duration<double> step(trial.loading.batch / rates.back());
    // The first batches cannot be there before they are asked for.
    for (int b = 0; b < trial.loading.buffers; ++b, std::this_thread::sleep_for(step))
      loader.next();
    const double waited_before_s = loader.waited_s();
    const Clock::time_point begin = Clock::now();
    for (std::int64_t b = 0; b < batches; ++b, std::this_thread::sleep_for(step)) loader.next();
    shares.push_back((loader.waited_s() - waited_before_s) / seconds_since(begin));
  }
  return {.rate = rate_of(rates).median, .waiting = rate_of(shares).median};
}

}  // namespace letterpress
