#include "trainer/loader/cache_advice.h"

#include <fcntl.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace letterpress {

// At the start of a group comes the next one, at the very start the first one, too.
void CacheAdvice::plan(std::int64_t batch) {
  if (options_.advise == 0 || batch % options_.advise != 0 || rows_.by() == ReadBy::direct) return;
  if (batch == 0) plan_group(0);
  plan_group(batch + options_.advise);
}

void CacheAdvice::plan_group(std::int64_t first) {
  std::vector<RowPlace> places;
  try {
    for (std::int64_t batch = first; batch < first + options_.advise; ++batch)
      for (const WantedRow& want : batches_(batch))
        if (want.sample >= 0 && rows_.contains(want.row)) places.push_back(want.row);
  } catch (...) {
    // What the sequence throws here it throws again when the batch is planned.
  }
  std::ranges::sort(places, {},
                    [](const RowPlace& place) { return std::tie(place.shard, place.row); });
  const std::lock_guard lock(mutex_);
  next_.insert(next_.end(), places.begin(), places.end());
}

void CacheAdvice::pass_on(std::int64_t batch) {
  if (options_.advise == 0) return;
  // The page cache was not told of the first group before: two rows at a time until it is a group
  // ahead.
  for (int left = batch < options_.advise ? 2 : 1; left > 0; --left) {
    RowPlace place;
    {
      const std::lock_guard lock(mutex_);
      if (next_.empty()) return;
      place = next_.front();
      next_.pop_front();
    }
    if (options_.advised) options_.advised(place);
    const RowFiles::Location location = rows_.find(place);
    ::posix_fadvise(location.descriptor, location.offset, location.bytes, POSIX_FADV_WILLNEED);
  }
}

}  // namespace letterpress
