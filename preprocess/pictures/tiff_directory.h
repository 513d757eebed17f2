#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "preprocess/pictures/byte_reader.h"

namespace letterpress {

/// A directory of a TIFF (TIFF 6.0) or of a BigTIFF, whose offsets and counts have 64 bits
/// (awaresystems.be/imaging/tiff/bigtiff.html). Reads nothing outside of the bytes; has no entries
/// where they are damaged.
class TiffDirectory {
 public:
  explicit TiffDirectory(const PictureBytes& tiff);  ///< the first one

  bool found() const noexcept { return found_; }  ///< false: this is not a TIFF, or cut
  bool big_endian() const noexcept { return big_endian_; }
  /// Goes to the one behind it. Returns false after the last.
  bool next();

  /// Where an entry lies: type, count and value are at these offsets of the bytes.
  struct Entry {
    std::size_t type = 0, count = 0, value = 0;
  };
  Entry find(std::uint32_t tag);  ///< all 0 if there is none
  /// A SHORT's or LONG's value, the first if there are several; `absent` if there is no such entry.
  std::uint32_t number(std::uint32_t tag, std::uint32_t absent);
  ByteReader& reader() noexcept { return reader_; }

 private:
  void enter(std::size_t directory);

  bool big_ = false, big_endian_ = false, found_ = false;
  ByteReader reader_;
  std::size_t first_ = 0, entries_ = 0;
};

}  // namespace letterpress
