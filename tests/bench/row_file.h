#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "letterpress/base/file.h"

namespace letterpress {

/// A file of equally long rows that each pass writes anew. It is removed with this object.
class RowFile {
 public:
  RowFile(std::filesystem::path folder, std::int64_t row_bytes)
      : folder_(std::move(folder)), row_bytes_(row_bytes) {}
  void start() {
    file_.reset();
    file_.emplace(folder_);
  }
  void write(std::int64_t row, std::span<const std::uint8_t> bytes) {
    file_->file().write_at(row * row_bytes_, std::as_bytes(bytes));
  }
  void read(std::int64_t row, std::span<std::uint8_t> bytes) {
    file_->file().read_at(row * row_bytes_, std::as_writable_bytes(bytes));
  }

 private:
  std::filesystem::path folder_;
  std::int64_t row_bytes_;
  std::optional<TemporaryFile> file_;
};

}  // namespace letterpress
