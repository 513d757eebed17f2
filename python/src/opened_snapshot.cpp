#include "python/src/opened_snapshot.h"

#include <cerrno>
#include <set>
#include <span>
#include <utility>

#include "letterpress/shards/published_snapshot.h"
#include "trainer/loader/rows/bus_error.h"
#include "trainer/loader/rows/read_choice.h"

namespace letterpress::python {
namespace {

ReadBy mapped_where_safe(const SnapshotReader& reader) {
  const ReadSetting setting = examine_reading(reader, false);
  return setting.local && !setting.compressed ? ReadBy::mmap : ReadBy::pread;
}

}  // namespace

OpenedSnapshot::OpenedSnapshot(const std::filesystem::path& store,
                               std::optional<std::int64_t> generation)
    : store_(Store::open(store)),
      whole_path_(std::filesystem::absolute(store)),
      reader_(store_, published_snapshot(store_, generation)),
      rows_(reader_, mapped_where_safe(reader_)),
      verified_(rows_.rows_of_shards()) {}

std::vector<std::string> OpenedSnapshot::splits() const {
  std::set<std::string> names;
  for (const SnapshotShard& shard : snapshot().shards) names.insert(shard.split);
  return {names.begin(), names.end()};
}

const std::uint8_t* OpenedSnapshot::mapped_pixels(const RowPlace& place) const {
  const std::uint8_t* const pixels = rows_.find(place).mapped;
  if (!pixels || verified_.contains(place)) return pixels;
  const std::span row(pixels, static_cast<std::size_t>(rows_.image_bytes()));
  Hasher hasher;
  if (!without_bus_error(row, [&] { hasher.add(std::as_bytes(row)); }))
    rows_.raise(place, {.error_number = EIO});
  shard(place).verify_row(place.row, std::move(hasher));
  verified_.insert(place);
  return pixels;
}

void OpenedSnapshot::read_pixels(const RowPlace& place, std::uint8_t* pixels) const {
  shard(place).read_images(place.row, 1, pixels);
  if (verified_.contains(place)) return;
  shard(place).verify_row(place.row, {pixels, static_cast<std::size_t>(rows_.image_bytes())});
  verified_.insert(place);
}

}  // namespace letterpress::python
