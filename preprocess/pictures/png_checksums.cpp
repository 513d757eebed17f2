#include <libdeflate.h>

#include <algorithm>

#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/decoders.h"

namespace letterpress {
namespace {

std::uint32_t crc_of(const PictureBytes& bytes, std::size_t at, std::size_t n) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::uint32_t crc = 0;
  for (std::size_t done = 0; done < n; done += kPiece) {
    const auto piece = bytes.view(at + done, std::min(kPiece, n - done));
    crc = libdeflate_crc32(crc, piece.data(), piece.size());
  }
  return crc;
}

}  // namespace

std::string check_png(const PictureBytes& bytes) {
  constexpr std::size_t kSignature = 8, kCritical = 4;
  ByteReader reader(bytes);
  bool in_pixels = false;
  for (std::size_t at = kSignature; at < bytes.size();) {
    const std::size_t data = reader.u32(at);
    const bool has_pixels = reader.starts_with("IDAT", at + kCritical);
    if (in_pixels && !has_pixels) break;
    in_pixels = has_pixels;
    const bool is_critical = (reader.u8(at + kCritical) & 0x20) == 0;  // a capital letter
    const std::size_t end = at + 8 + data;
    const std::uint32_t wanted = reader.u32(end);
    if (!reader.ok()) return "it is cut in a chunk";
    if (is_critical && crc_of(bytes, at + kCritical, 4 + data) != wanted)
      return "a chunk's bytes do not have its CRC-32";
    at = end + 4;
  }
  return {};
}

}  // namespace letterpress
