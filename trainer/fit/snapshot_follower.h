#pragma once
#include <optional>

#include "trainer/fit/opening/run.h"

namespace letterpress {

/// --snapshot follow: looks between two epochs for a newer snapshot that the run can go on with.
class SnapshotFollower {
 public:
  /// run: outlives it.
  explicit SnapshotFollower(const Run& run) : run_(run) {}
  /// Nothing where there is none; why a newer one does not do is noted once. Collective.
  std::optional<Snapshot> newer(const Note& note);

 private:
  const Run& run_;
  std::int64_t refused_ = 0;  ///< newest generation that does not do
};

/// Changes the pictures of a run, and what depends on them: nobody reads those before any more.
/// Where only views were drawn anew, nothing depends on them; returns whether that is so.
bool take_up(Run& run, Snapshot next, const Note& note);

}  // namespace letterpress
