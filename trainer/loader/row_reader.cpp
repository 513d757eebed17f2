#include "trainer/loader/row_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "letterpress/base/error.h"

namespace letterpress {

RowReader::RowReader(const SnapshotReader& snapshot) : snapshot_(snapshot), max_boxes_(snapshot.snapshot().statistics.max_boxes) {
  const auto shards = static_cast<std::int32_t>(snapshot.snapshot().shards.size());
  for (std::int32_t i = 0; i < shards; ++i) {
    const ShardReader& shard = snapshot.shard(i);
    if (i == 0) {
      image_bytes_ = shard.image_bytes();
      fill_ = shard.spec().fill;
      side_ = shard.spec().side;
    }
    max_boxes_ = std::max(max_boxes_, shard.spec().max_boxes);
    pixels_.push_back({shard.descriptor(), shard.images_offset(), shard.rows()});
  }
}

bool RowReader::contains(const RowPlace& place) const noexcept {
  return place.shard >= 0 && place.shard < static_cast<std::int32_t>(pixels_.size()) && place.row >= 0 &&
         place.row < pixels_[static_cast<std::size_t>(place.shard)].rows;
}

std::vector<std::int64_t> RowReader::rows_of_shards() const {
  std::vector<std::int64_t> rows;
  for (const Pixels& pixels : pixels_) rows.push_back(pixels.rows);
  return rows;
}

std::optional<RowReader::Failure> RowReader::read(const RowPlace& place, std::uint8_t* image) const noexcept {
  const Pixels& pixels = pixels_[static_cast<std::size_t>(place.shard)];
  const std::int64_t start = pixels.offset + place.row * image_bytes_;
  for (std::int64_t done = 0; done < image_bytes_;) {
    const ssize_t got = ::pread(pixels.descriptor, image + done, static_cast<std::size_t>(image_bytes_ - done), start + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Failure{got < 0 ? errno : 0, done};
    done += got;
  }
  return std::nullopt;
}

void RowReader::raise(const RowPlace& place, const Failure& failure) const {
  if (failure.error_number != 0) throw system_error(describe(place), "cannot be read", failure.error_number);
  throw Error(describe(place) + ": cut short, " + std::to_string(failure.offset) + " of " + std::to_string(image_bytes_) +
                  " bytes are there; did the file change since it was opened? run `letterpress-preprocess verify`",
              Exit::io);
}

std::string RowReader::describe(const RowPlace& place) const {
  const ShardReader& source = shard(place);
  return source.path().string() + ": row " + std::to_string(place.row) + " (" + source.name(place.row) + ")";
}

}  // namespace letterpress
