#include "row_spool.h"

#include "letterpress/shards/deflate.h"

namespace letterpress {

RowSpool::RowSpool(const std::filesystem::path& temporary_folder, std::int64_t rows)
    : temporary_(temporary_folder), places_(static_cast<std::size_t>(rows)) {}

void RowSpool::write(std::int64_t row, std::span<const std::uint8_t> image) {
  thread_local Deflater deflater;
  const std::span<const std::byte> deflated = deflater.deflate(image);
  const auto bytes = static_cast<std::int64_t>(deflated.size());
  const FileRange place{end_.fetch_add(bytes), bytes};
  temporary_.file().write_at(place.offset, deflated);
  places_[static_cast<std::size_t>(row)] = place;
}

std::span<const std::byte> RowSpool::read(std::int64_t row) {
  const FileRange& place = places_[static_cast<std::size_t>(row)];
  bytes_.resize(static_cast<std::size_t>(place.bytes));
  temporary_.file().read_at(place.offset, bytes_);
  return bytes_;
}

}  // namespace letterpress
