#pragma once
#include <vector>

#include "trainer/loader/batch_loader.h"
#include "trainer/loader/rates/rate.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {

/// A loader to measure: `pictures` in training's order, each once per pass, for a consumer that
/// does nothing with them.
struct LoaderTrial {
  const SnapshotReader& reader;
  std::vector<PictureRows> pictures;
  LoaderOptions loading{};
  SampleWindow window{};
  int runs = 5;  ///< passes; their median counts
  /// Whole batches of a pass; at least one.
  std::int64_t batches() const;
};

struct TrialOptions {
  std::int64_t rows = 1000;  ///< of a pass, at most
  LoaderOptions loading{};
  SampleWindow window{};
  int runs = 5;
};
/// A trial of view 0 of the first `rows` pictures, with windows of those that come first on the
/// disk. A batch holds at most these; the page cache is told ahead as in training.
LoaderTrial make_trial(const SnapshotReader& reader, std::vector<PictureRows> pictures,
                       const TrialOptions& options);

/// Rows per second when all of them are in the page cache (direct reads bypass it): one loader, a
/// pass that is not timed, then the others. A pass that is too short to measure, or has fewer
/// batches than eight times the buffers, is repeated until it is long enough.
Rate warm_rate(const LoaderTrial& trial);
/// The same when each row is verified each time.
struct VerifiedRate {
  Rate rate{};
  double added = 0;  ///< time that it adds to a row, as a share of the time without: 0.3 for 30 %
};
/// Medians of pairs: rows without and with verification in turn, so that a machine that slows down
/// slows both.
VerifiedRate verified_rate(const LoaderTrial& trial);
/// Rows per second when none of them is in the page cache: before each pass the kernel is asked to
/// drop the shards. What other processes hold, or a tmpfs, stays.
Rate cold_rate(const LoaderTrial& trial);
/// A consumer that takes rows at a constant rate.
struct Pacing {
  double rate = 0;     ///< rows per second that it would take without waiting
  double waiting = 0;  ///< the share of its time, 0..1, that it waits for data
};
/// Medians of `trial.runs` warm passes of one loader, whose consumer takes `times` as long for a
/// row as the loader does. Before each of them an unpaced pass is timed, so that a machine that
/// slows down for a while does not count against the loader. times > 0.
Pacing paced(const LoaderTrial& trial, double times);

}  // namespace letterpress
