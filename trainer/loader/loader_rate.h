#pragma once
#include <vector>

#include "trainer/loader/batch_loader.h"
#include "trainer/loader/rate.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {

/// A loader that is measured: `pictures` in training's order, each once per pass, for a consumer
/// that does nothing with them.
struct LoaderTrial {
  const SnapshotReader& reader;
  std::vector<PictureRows> pictures;
  LoaderOptions loading{};
  SampleWindow window{};
  int runs = 5;  ///< passes, of which the median counts
  /// Whole batches of a pass; at least one.
  std::int64_t batches() const;
};

struct TrialWishes {
  std::int64_t rows = 1000;  ///< of a pass, at most
  LoaderOptions loading{};
  SampleWindow window{};
  int runs = 5;
};
/// A trial of view 0 of the first `rows` pictures, with windows of those that lie first on the
/// disk. Its batches hold no more than these; the page cache is told ahead as in training.
LoaderTrial make_trial(const SnapshotReader& reader, std::vector<PictureRows> pictures,
                       const TrialWishes& wishes);

/// Rows per second when all of them are in the page cache (but for direct reads, which do not ask
/// it): one loader, a pass that is not timed, then the others. A pass that would be over in no
/// time, or is less than eight times the buffers, is so many of them.
Rate warm_rate(const LoaderTrial& trial);
/// The same when each row is verified each time.
struct VerifiedRate {
  Rate rate{};
  double added = 0;  ///< to the time of a row, as a share of its time without: 0.3 for 30 %
};
/// Medians of pairs: rows without and with verification in turn, so that a machine that slows down
/// slows both.
VerifiedRate verified_rate(const LoaderTrial& trial);
/// Rows per second when none of them is: before each pass the kernel is asked to let go of the
/// shards. What others hold, or what lies on a tmpfs, stays.
Rate cold_rate(const LoaderTrial& trial);
/// A consumer that takes rows at a constant rate.
struct Pacing {
  double rate = 0;     ///< rows per second that it could take
  double waiting = 0;  ///< the share of its time, 0..1, that it waits for data
};
/// Medians of `trial.runs` warm passes of one loader, whose consumer takes `times` as long for a
/// row as the loader does. Before each of them a pass without a pace is timed, so that a machine
/// which is slower for a while is no verdict on the loader. times > 0.
Pacing paced(const LoaderTrial& trial, double times);

}  // namespace letterpress
