#include "trainer/loader/rows/row_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::int64_t kPageBytes = 4096;

}  // namespace

RowFiles::RowFiles(const SnapshotReader& snapshot, ReadBy by)
    : snapshot_(snapshot), by_(by), max_boxes_(snapshot.snapshot().statistics.max_boxes) {
  const auto shards = static_cast<std::int32_t>(snapshot.snapshot().shards.size());
  try {
    for (std::int32_t i = 0; i < shards; ++i) {
      const ShardReader& shard = snapshot.shard(i);
      if (i == 0) {
        image_bytes_ = shard.image_bytes();
        fill_ = shard.spec().fill;
        side_ = shard.spec().side;
      }
      max_boxes_ = std::max(max_boxes_, shard.spec().max_boxes);
      Pixels pixels{shard.descriptor(), shard.stored_pixels(0).offset, shard.rows()};
      if (shard.spec().compression == Compression::deflate) find_deflated(shard, pixels);
      open_for(shard, pixels);
      pixels_.push_back(std::move(pixels));
    }
  } catch (...) {
    close();
    throw;
  }
}

RowFiles::~RowFiles() { close(); }

// In the page on which the pixels begin. Pixels start on a page unless all of them are smaller than
// one.
std::int64_t RowFiles::bytes_before(const Pixels& pixels) noexcept {
  return pixels.offset % kPageBytes;
}

void RowFiles::find_deflated(const ShardReader& shard, Pixels& pixels) {
  for (std::int64_t row = 0; row < pixels.rows; ++row) {
    pixels.deflated.push_back(shard.stored_pixels(row));
    most_stored_bytes_ = std::max(most_stored_bytes_, pixels.deflated.back().bytes);
  }
}

void RowFiles::open_for(const ShardReader& shard, Pixels& pixels) {
  if (by_ == ReadBy::direct) {
    pixels.descriptor = ::open(shard.path().c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (pixels.descriptor < 0)
      throw system_error(shard.path().string(),
                         "cannot be opened for direct reads (--read pread can)", errno);
  }
  if (by_ == ReadBy::mmap) {
    const std::int64_t before = bytes_before(pixels);
    void* const mapped =
        ::mmap(nullptr, static_cast<std::size_t>(before + pixels.rows * image_bytes_), PROT_READ,
               MAP_SHARED, pixels.descriptor, pixels.offset - before);
    if (mapped == MAP_FAILED)
      throw system_error(shard.path().string(), "cannot be mapped (--read pread needs no mapping)",
                         errno);
    pixels.mapped = static_cast<const std::uint8_t*>(mapped) + before;
  }
}

void RowFiles::close() noexcept {
  for (const Pixels& pixels : pixels_) {
    if (by_ == ReadBy::direct) ::close(pixels.descriptor);
    if (by_ == ReadBy::mmap)
      ::munmap(const_cast<std::uint8_t*>(pixels.mapped) - bytes_before(pixels),
               static_cast<std::size_t>(bytes_before(pixels) + pixels.rows * image_bytes_));
  }
}

bool RowFiles::contains(const RowPlace& place) const noexcept {
  return place.shard >= 0 && place.shard < static_cast<std::int32_t>(pixels_.size()) &&
         place.row >= 0 && place.row < pixels_[static_cast<std::size_t>(place.shard)].rows;
}

std::vector<std::int64_t> RowFiles::rows_of_shards() const {
  std::vector<std::int64_t> rows;
  for (const Pixels& pixels : pixels_) rows.push_back(pixels.rows);
  return rows;
}

RowFiles::Location RowFiles::find(const RowPlace& place) const noexcept {
  const Pixels& pixels = pixels_[static_cast<std::size_t>(place.shard)];
  if (!pixels.deflated.empty()) {
    const FileRange& stored = pixels.deflated[static_cast<std::size_t>(place.row)];
    return {pixels.descriptor, stored.offset, stored.bytes, nullptr, true};
  }
  const std::int64_t first = place.row * image_bytes_;
  return {pixels.descriptor, pixels.offset + first, image_bytes_,
          pixels.mapped ? pixels.mapped + first : nullptr, false};
}

void RowFiles::raise(const RowPlace& place, const RowFailure& failure) const {
  if (failure.damaged) shard(place).fail_inflating(place.row);
  // A mapped page beyond the file's end and one that cannot be read give the same signal: the
  // file's length tells them apart.
  struct stat status {};
  const RowFiles::Location location = find(place);
  const std::int64_t start = location.offset, bytes = location.bytes;
  const std::int64_t length =
      ::fstat(shard(place).descriptor(), &status) == 0 ? status.st_size : start + bytes;
  const std::int64_t there = std::clamp<std::int64_t>(length - start, 0, bytes);
  if (failure.error_number != 0 && there == bytes)
    throw system_error(describe(place), "cannot be read", failure.error_number);
  throw Error(
      {.where = describe(place),
       .what = "cut short, " + std::to_string(there) + " of " + std::to_string(bytes) +
               " bytes are there",
       .fix = "did the file change since it was opened? run `letterpress-preprocess verify`"},
      Exit::io);
}

std::string RowFiles::describe(const RowPlace& place) const {
  const ShardReader& source = shard(place);
  return source.path().string() + ": row " + std::to_string(place.row) + " (" +
         source.name(place.row) + ")";
}

}  // namespace letterpress
