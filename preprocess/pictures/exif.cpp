#include "preprocess/pictures/headers.h"
#include "preprocess/pictures/tiff_directory.h"

namespace letterpress {

std::size_t tiff_value_offset(const PictureBytes& tiff, std::uint32_t tag) {
  constexpr std::uint32_t kShort = 3, kLong = 4;
  TiffDirectory directory(tiff);
  const TiffDirectory::Entry entry = directory.find(tag);
  if (entry.type == 0) return 0;
  ByteReader& reader = directory.reader();
  const std::uint32_t type = reader.u16(entry.type);
  const std::uint32_t value = type == kLong ? reader.u32(entry.value) : reader.u16(entry.value);
  const bool valid = (type == kShort || type == kLong) && reader.ok() && value < 256;
  const std::size_t last = type == kLong ? 3 : 1;
  return valid ? entry.value + (directory.big_endian() ? last : 0) : 0;
}

std::size_t exif_orientation_offset(const PictureBytes& tiff) {
  const std::size_t offset = tiff_value_offset(tiff, 0x0112);
  const auto value = offset == 0 ? 0 : std::to_integer<int>(tiff.view(offset, 1)[0]);
  return value >= 1 && value <= 8 ? offset : 0;
}

std::int32_t exif_orientation(const PictureBytes& tiff) {
  const std::size_t offset = exif_orientation_offset(tiff);
  return offset == 0 ? 1 : std::to_integer<std::int32_t>(tiff.view(offset, 1)[0]);
}

}  // namespace letterpress
