#include "letterpress/shards/published_snapshot.h"

#include <utility>

#include "letterpress/base/error.h"

namespace letterpress {

Snapshot published_snapshot(const Store& store, std::optional<std::int64_t> generation) {
  if (generation) return store.snapshot(*generation);
  std::optional<Snapshot> latest = store.latest();
  if (latest) return *std::move(latest);
  throw Error({.where = store.folder().string(),
               .what = "nothing was published yet",
               .fix = "run `letterpress-preprocess build` to its end"},
              Exit::no_input);
}

}  // namespace letterpress
