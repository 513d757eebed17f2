#include <algorithm>
#include <cstring>

#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/headers.h"

namespace letterpress {
namespace {

bool is_frame_header(std::uint32_t marker) {
  constexpr std::uint32_t kHuffmanTables = 0xC4, kExtension = 0xC8, kArithmeticTables = 0xCC;
  return marker >= 0xC0 && marker <= 0xCF && marker != kHuffmanTables && marker != kExtension &&
         marker != kArithmeticTables;
}

// ITU T.81, table B.1. libjpeg-turbo decodes the baseline, extended and progressive processes of 8
// bits per channel.
void check_process(std::uint32_t marker, StoredHeader& header) {
  const std::uint32_t process = marker & 0x0F;
  if (process % 4 == 3) {
    header.problem = "is a lossless JPEG, which is not read";
    header.fix = "convert it to PNG";
  } else if ((process & 4) != 0) {
    header.problem = "is a hierarchical JPEG, which is not read";
    header.fix = "convert it to PNG";
  } else if (header.bit_depth > 8) {
    header.problem = "is a JPEG with " + std::to_string(header.bit_depth) +
                     " bits per channel, which is not read";
    header.fix = "convert it to a PNG of 16 bits, and say with --depth which levels matter";
  }
}

bool stands_alone(std::uint32_t marker) {
  return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
}

// Behind entropy-coded data, at the marker that ends them.
std::size_t end_of_scan(const PictureBytes& bytes, std::size_t at) {
  constexpr std::size_t kLookedAt = std::size_t{64} << 10;
  while (at + 1 < bytes.size()) {
    const std::span<const std::byte> part = bytes.view(at, kLookedAt);
    const std::size_t last = part.size() - 1;
    std::size_t i = 0;
    while (i < last) {
      const void* const found = std::memchr(part.data() + i, 0xFF, last - i);
      if (!found) {
        i = last;
        break;
      }
      i = static_cast<std::size_t>(static_cast<const std::byte*>(found) - part.data());
      const auto next = static_cast<std::uint32_t>(part[i + 1]);
      if (next != 0 && next != 0xFF && !stands_alone(next)) return at + i;
      i += next == 0xFF ? 1 : 2;
    }
    at += i;
  }
  return bytes.size();
}

}  // namespace

bool ends_early(const PictureBytes& jpeg) {
  constexpr std::uint32_t kStartOfScan = 0xDA, kEndOfImage = 0xD9;
  ByteReader reader(jpeg);
  std::size_t at = 2;
  while (reader.ok()) {
    const std::uint32_t marker = reader.u8(at + 1);
    if (!reader.ok()) break;
    if (marker == kEndOfImage) return false;
    if (marker == 0xFF || stands_alone(marker)) {
      at += marker == 0xFF ? 1 : 2;
      continue;
    }
    const std::uint32_t length = reader.u16(at + 2);
    if (length < 2) break;
    at += 2 + length;
    if (marker == kStartOfScan) at = end_of_scan(jpeg, at);
  }
  return true;
}

StoredHeader read_jpeg_header(const PictureBytes& bytes) {
  constexpr std::uint32_t kStartOfScan = 0xDA, kEndOfImage = 0xD9, kApp1 = 0xE1, kApp14 = 0xEE;
  // Itself, "Adobe", version, two words of flags, the colour transform.
  constexpr std::uint32_t kAdobeLength = 14;
  ByteReader reader(bytes);
  StoredHeader header;
  std::size_t at = 2;
  while (reader.ok()) {
    if (reader.u8(at) != 0xFF && reader.ok()) {
      header.problem = "JPEG header damaged at byte " + std::to_string(at);
      return header;
    }
    const std::uint32_t marker = reader.u8(at + 1);
    if (marker == 0xFF || stands_alone(marker)) {
      at += marker == 0xFF ? 1 : 2;  // fill bytes may precede a marker
      continue;
    }
    if (marker == kStartOfScan || marker == kEndOfImage) break;
    const std::uint32_t length = reader.u16(at + 2);
    if (marker == kApp1 && reader.starts_with(std::string_view("Exif\0\0", 6), at + 4) &&
        length > 8)
      header.orientation = exif_orientation(
          bytes.view(at + 10, std::min<std::size_t>(length - 8, bytes.size() - at - 10)));
    if (marker == kApp14 && reader.starts_with("Adobe", at + 4) && length >= kAdobeLength)
      header.adobe = true;
    if (is_frame_header(marker)) {
      header.bit_depth = static_cast<int>(reader.u8(at + 4));
      header.height = reader.u16(at + 5);
      header.width = reader.u16(at + 7);
      const std::uint32_t components = reader.u8(at + 9);
      header.grey = components == 1;
      header.cmyk = components == 4;
      check_process(marker, header);
    }
    if (length < 2) break;
    at += 2 + length;
  }
  if (header.width == 0 || header.height == 0)
    header.problem = "JPEG header cut or damaged: no frame size within its " +
                     std::to_string(bytes.size()) + " bytes";
  return header;
}

}  // namespace letterpress
