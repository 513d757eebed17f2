#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/hash.h"

namespace letterpress {

/// Larger files pass through a window where only their hash and header are wanted, or bands.
inline constexpr std::size_t kFileReadWhole = std::size_t{16} << 20;

/// A picture's file cannot be read, after it could be opened.
class UnreadablePicture : public Error {
 public:
  explicit UnreadablePicture(const Error& error) : Error(error) {}
};

/// A picture's file, or its part of an archive, of which only a window is in memory. One thread at
/// a time. Functions throw UnreadablePicture naming the file.
class PictureFile {
 public:
  /// length: bytes from `offset` on; below 0: all of them.
  explicit PictureFile(File file, std::int64_t offset = 0, std::int64_t length = -1);

  std::size_t size() const noexcept { return size_; }
  const std::filesystem::path& path() const noexcept { return file_.path(); }
  /// n bytes from `at`, all of them in the file; valid until the next call.
  std::span<const std::byte> window(std::size_t at, std::size_t n);
  void read(std::vector<std::byte>& bytes) const;  ///< all of them
  Hash128 hash();                                  ///< hash128() of all bytes
  /// Memory of a window that was once large is freed.
  void shrink_window();

 private:
  void read_at(std::size_t at, std::span<std::byte> bytes) const;

  File file_;
  std::int64_t offset_;
  std::size_t size_;
  std::size_t at_ = 0;  // of the window
  std::vector<std::byte> held_;
};

/// The bytes of a picture as they are stored: in memory, or in a file that is read where they are
/// needed. Cheap to copy; looks at what the caller owns.
class PictureBytes {
 public:
  template <class Range>
  requires std::convertible_to<const Range&, std::span<const std::byte>> PictureBytes(
      const Range& memory)  // NOLINT: implicit, bytes in memory are the usual case
      : memory_(memory), size_(memory_.size()) {}
  explicit PictureBytes(PictureFile& file) : file_(&file), size_(file.size()) {}

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// n bytes from `at`, or as many as there are; of a file valid until the next call.
  std::span<const std::byte> view(std::size_t at, std::size_t n) const {
    if (at > size_) return {};
    if (n > size_ - at) n = size_ - at;
    return file_ ? file_->window(at, n) : memory_.subspan(at, n);
  }
  std::span<const std::byte> all() const { return view(0, size_); }

 private:
  std::span<const std::byte> memory_;
  PictureFile* file_ = nullptr;
  std::size_t size_;
};

}  // namespace letterpress
