#include "preprocess/map/planned_picture.h"

#include <limits>

#include "preprocess/map/map_task.h"

namespace letterpress {

void require_planned(const LedgerEntry& entry, const std::function<Hash128()>& hash) {
  try {
    if (hash() == entry.picture_hash) return;
  } catch (const Error& error) {
    throw InputChanged(
        with_remark(error.message(), " (it could be read when the build was planned)"),
        error.exit());
  }
  throw_picture_changed(entry);
}

void throw_picture_changed(const LedgerEntry& entry) {
  throw InputChanged({.where = entry.path,
                      .what = "has other bytes than when the build was planned",
                      .fix = "is it still being copied?"});
}

Expected<PictureInfo> probe_planned(const PictureBytes& bytes, const LedgerEntry& entry,
                                    const Recipe& recipe) {
  return probe(bytes, entry.path,
               {.max_pixels = std::numeric_limits<std::int64_t>::max(),
                .depth = recipe.depth(),
                .truncated = recipe.truncated()});
}

}  // namespace letterpress
