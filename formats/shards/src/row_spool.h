#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "letterpress/base/file.h"

namespace letterpress {

// Compressed rows of a shard in the making, in a temporary file in the order of their coming, until
// all are there and have their places in the shard. write() is thread-safe for different rows;
// read() comes after, from one thread.
class RowSpool {
 public:
  RowSpool(const std::filesystem::path& temporary_folder, std::int64_t rows);

  void write(std::int64_t row,
             std::span<const std::uint8_t> image);    // compresses it in the calling thread
  std::span<const std::byte> read(std::int64_t row);  // compressed; valid until the next call

 private:
  TemporaryFile temporary_;
  std::vector<FileRange> places_;  // by row
  std::atomic<std::int64_t> end_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace letterpress
