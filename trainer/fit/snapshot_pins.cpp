#include "trainer/fit/snapshot_pins.h"

#include "letterpress/base/error.h"
#include "trainer/fit/opening/run_folder.h"
#include "trainer/fit/options/ranks_of_run.h"

namespace letterpress {

void SnapshotPins::follow(const Run& run, const Note& note) {
  const FitOptions& options = run.options;
  if (!is_first_rank(options)) return;
  std::set<std::int64_t> read{run.snapshot().generation};
  if (options.replay < 1 && run.done.known > 0) read.insert(run.done.known);
  // The new ones first: a gc in between would find none.
  try {
    for (const std::int64_t generation : read)
      pins_.try_emplace(generation, run.store, generation, run_name(options.out), options.out);
  } catch (const Error& error) {
    note(std::string("the snapshot is not pinned, a gc elsewhere may remove it: ") + error.what());
  }
  for (auto& [generation, pin] : pins_) {
    if (!read.contains(generation)) pin.release();
  }
  std::erase_if(pins_, [&](const auto& pinned) { return !read.contains(pinned.first); });
}

// The lease holds for days.
void SnapshotPins::renew(const Note& note) {
  try {
    for (auto& [generation, pin] : pins_) pin.renew();
  } catch (const Error& error) {
    note(std::string("a pin of a snapshot could not be renewed: ") + error.what());
  }
}

void SnapshotPins::release() {
  for (auto& [generation, pin] : pins_) pin.release();
}

}  // namespace letterpress
