#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/headers.h"

namespace letterpress {

StoredHeader read_png_header(const PictureBytes& bytes) {
  constexpr std::size_t kSignature = 8, kChunkFrame = 12;  // a chunk: length, type, body, checksum
  ByteReader reader(bytes);
  StoredHeader header;
  if (!reader.starts_with("IHDR", kSignature + 4) ||
      reader.size() < kSignature + kChunkFrame + 13) {
    header.problem = "PNG header cut after " + std::to_string(bytes.size()) + " bytes";
    return header;
  }
  header.width = reader.u32(16);
  header.height = reader.u32(20);
  header.bit_depth = static_cast<int>(reader.u8(24));
  const std::uint32_t colour_type = reader.u8(25);
  header.grey = colour_type == 0 || colour_type == 4;
  header.alpha = colour_type == 4 || colour_type == 6;
  if (header.width == 0 || header.height == 0) header.problem = "PNG header with a size of 0";

  std::size_t at = kSignature;
  while (reader.ok() && !reader.starts_with("IEND", at + 4)) {  // eXIf may follow the pixels
    const std::uint32_t length = reader.u32(at);
    if (reader.starts_with("tRNS", at + 4)) header.alpha = true;
    if (reader.starts_with("acTL", at + 4)) header.several = true;  // an animation (APNG)
    if (reader.starts_with("eXIf", at + 4) && length <= bytes.size() - at - 8)
      header.orientation = exif_orientation(bytes.view(at + 8, length));
    at += kChunkFrame + length;
  }
  return header;
}

}  // namespace letterpress
