#pragma once
#include <vector>

#include "trainer/loader/batch_loader.h"
#include "trainer/loader/ceilings.h"

namespace letterpress {

/// A loader that is measured: view 0 of `pictures` in training's order, each once per pass, for a consumer that does nothing with it.
struct LoaderTrial {
  const SnapshotReader& reader;
  std::vector<PictureRows> pictures;
  LoaderOptions loading{};
  SampleWindow window{};
  int runs = 5;  ///< passes, of which the median counts

  /// Whole batches of a pass; at least one.
  std::int64_t batches() const;
};

/// Rows per second when all of them are in the page cache (but for direct reads, which do not ask it): one loader, a pass that is not
/// timed, then the others.
Rate warm_rate(const LoaderTrial& trial);
/// Rows per second when none of them is: before each pass the kernel is asked to let go of the shards. What others hold, or what lies on a
/// tmpfs, stays.
Rate cold_rate(const LoaderTrial& trial);
/// The share of its time, 0..1, that a consumer waits for data when it works `step_s` seconds with each batch, in a warm pass after the
/// first batches.
double waiting_share(const LoaderTrial& trial, double step_s);

}  // namespace letterpress
