#include "preprocess/map/planned_picture.h"

#include <filesystem>
#include <limits>
#include <utility>

#include "preprocess/map/map_task.h"

namespace letterpress {

void require_planned(const LedgerEntry& entry, const std::function<Hash128()>& hash) {
  try {
    if (hash() == entry.picture_hash) return;
  } catch (const Error& error) {
    const std::filesystem::path folder = std::filesystem::path(entry.path).parent_path();
    std::error_code ignored;
    Message message =
        with_remark(error.message(), " (it could be read when the build was planned)");
    const bool is_unmounted =
        error.exit() == Exit::no_input && !std::filesystem::exists(folder, ignored);
    if (is_unmounted)
      message.fix = folder.string() + " is not there either: is its disk or share mounted here?";
    throw InputChanged(std::move(message), is_unmounted ? Exit::io : error.exit());
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
