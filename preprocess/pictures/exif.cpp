#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/headers.h"

namespace letterpress {

std::size_t tiff_value_offset(std::span<const std::byte> tiff, std::uint32_t tag) {
  constexpr std::uint32_t kShort = 3, kLong = 4;
  const bool big_endian = ByteReader(tiff).starts_with("MM");
  if (!big_endian && !ByteReader(tiff).starts_with("II")) return 0;
  ByteReader reader(tiff, big_endian);
  if (reader.u16(2) != 42) return 0;
  const std::size_t directory = reader.u32(4);
  const std::uint32_t entries = reader.u16(directory);
  for (std::size_t i = 0; i < entries && reader.ok(); ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (reader.u16(entry) != tag) continue;
    const std::uint32_t type = reader.u16(entry + 2);
    const std::uint32_t value = type == kLong ? reader.u32(entry + 8) : reader.u16(entry + 8);
    const bool valid = (type == kShort || type == kLong) && reader.ok() && value < 256;
    const std::size_t last = type == kLong ? 3 : 1;
    return valid ? entry + 8 + (big_endian ? last : 0) : 0;
  }
  return 0;
}

std::size_t exif_orientation_offset(std::span<const std::byte> tiff) {
  const std::size_t offset = tiff_value_offset(tiff, 0x0112);
  const auto value = offset == 0 ? 0 : std::to_integer<int>(tiff[offset]);
  return value >= 1 && value <= 8 ? offset : 0;
}

std::int32_t exif_orientation(std::span<const std::byte> tiff) {
  const std::size_t offset = exif_orientation_offset(tiff);
  return offset == 0 ? 1 : std::to_integer<std::int32_t>(tiff[offset]);
}

}  // namespace letterpress
