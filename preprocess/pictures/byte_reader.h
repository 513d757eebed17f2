#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "preprocess/pictures/picture_bytes.h"

namespace letterpress {

/// Bounds-checked numbers from a picture's bytes. Reading outside gives 0 and makes ok() false for
/// good, so that a parser checks once.
class ByteReader {
 public:
  explicit ByteReader(const PictureBytes& bytes, bool big_endian = true)
      : bytes_(bytes), big_endian_(big_endian) {}

  std::uint32_t u8(std::size_t at) { return number(at, 1); }
  std::uint32_t u16(std::size_t at) { return number(at, 2); }
  std::uint32_t u24(std::size_t at) { return number(at, 3); }
  std::uint32_t u32(std::size_t at) { return number(at, 4); }
  /// Above 2^32 - 1 it counts as outside: no file in memory is as long.
  std::uint32_t u64(std::size_t at) {
    const std::uint32_t first = number(at, 4), second = number(at + 4, 4);
    if ((big_endian_ ? first : second) != 0) ok_ = false;
    return big_endian_ ? second : first;
  }
  std::size_t size() const { return bytes_.size(); }
  bool ok() const { return ok_; }

  bool starts_with(std::string_view text, std::size_t at = 0) const {
    if (at > bytes_.size() || bytes_.size() - at < text.size()) return false;
    const std::span<const std::byte> found = bytes_.view(at, text.size());
    return std::string_view(reinterpret_cast<const char*>(found.data()), found.size()) == text;
  }

 private:
  std::uint32_t number(std::size_t at, std::size_t n) {
    if (at > bytes_.size() || bytes_.size() - at < n) return ok_ = false, 0;
    const std::span<const std::byte> found = bytes_.view(at, n);
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < n; ++i)
      value = value << 8 | std::to_integer<std::uint32_t>(found[big_endian_ ? i : n - 1 - i]);
    return value;
  }

  PictureBytes bytes_;
  bool big_endian_;
  bool ok_ = true;
};

}  // namespace letterpress
