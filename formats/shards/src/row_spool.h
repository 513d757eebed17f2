#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "letterpress/base/file.h"

namespace letterpress {

// Compressed rows of a shard under construction. They wait in a temporary file, in the order in
// which they were written, until all are there and their places in the shard are known. write() is
// thread-safe for different rows; read() comes after, from one thread.
class RowSpool {
 public:
  RowSpool(const std::filesystem::path& temporary_folder, std::int64_t rows);

  // image: uint8 [S, S, 3], compressed in the calling thread.
  void write(std::int64_t row, std::span<const std::uint8_t> image);
  // The compressed row, valid until the next call.
  std::span<const std::byte> read(std::int64_t row);

 private:
  TemporaryFile temporary_;
  std::vector<FileRange> places_;  // by row
  std::atomic<std::int64_t> end_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace letterpress
