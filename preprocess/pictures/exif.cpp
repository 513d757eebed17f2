#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/headers.h"

namespace letterpress {

std::size_t exif_orientation_offset(std::span<const std::byte> tiff) {
  constexpr std::uint32_t kOrientation = 0x0112, kShort = 3;
  const bool big_endian = ByteReader(tiff).starts_with("MM");
  if (!big_endian && !ByteReader(tiff).starts_with("II")) return 0;
  ByteReader reader(tiff, big_endian);
  if (reader.u16(2) != 42) return 0;
  const std::size_t directory = reader.u32(4);
  const std::uint32_t entries = reader.u16(directory);
  for (std::size_t i = 0; i < entries && reader.ok(); ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (reader.u16(entry) != kOrientation) continue;
    const std::uint32_t value = reader.u16(entry + 8);
    const bool valid = reader.u16(entry + 2) == kShort && reader.ok() && value >= 1 && value <= 8;
    return valid ? entry + 8 + (big_endian ? 1 : 0) : 0;
  }
  return 0;
}

std::int32_t exif_orientation(std::span<const std::byte> tiff) {
  const std::size_t offset = exif_orientation_offset(tiff);
  return offset == 0 ? 1 : std::to_integer<std::int32_t>(tiff[offset]);
}

}  // namespace letterpress
