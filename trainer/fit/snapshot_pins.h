#pragma once
#include <map>

#include "letterpress/shards/store.h"
#include "trainer/fit/opening/run.h"

namespace letterpress {

/// Keeps gc from the snapshots that a run reads: the one it trains on, and the one whose ledger
/// says what was known. A store that cannot be written to is not a reason to stop, it is only
/// noted. Of several ranks only the first pins.
class SnapshotPins {
 public:
  SnapshotPins(const Run& run, const Note& note) { follow(run, note); }
  /// After the run took up another snapshot.
  void follow(const Run& run, const Note& note);
  void renew(const Note& note);
  /// When the run is complete. A run that is not keeps its pins, for --resume.
  void release();

 private:
  std::map<std::int64_t, Pin> pins_;  ///< by generation
};

}  // namespace letterpress
