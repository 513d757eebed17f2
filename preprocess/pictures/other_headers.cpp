#include <algorithm>

#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/headers.h"

namespace letterpress {
namespace {

StoredHeader cut(const char* format, std::size_t size) {
  StoredHeader header;
  header.problem =
      std::string(format) + " header cut or damaged within its " + std::to_string(size) + " bytes";
  return header;
}

// The number of a TIFF directory entry: SHORT or LONG, the first if there are several.
std::uint32_t tiff_number(ByteReader& reader, std::size_t entry) {
  constexpr std::uint32_t kShort = 3;
  const std::uint32_t count = reader.u32(entry + 4);
  if (reader.u16(entry + 2) != kShort) return reader.u32(entry + 8);
  return reader.u16(count <= 2 ? entry + 8 : reader.u32(entry + 8));
}

// The content of the chunk EXIF without the six bytes "Exif\0\0" that some programs put before it,
// as in a JPEG; empty if there is none. RIFF: a chunk is four letters, a length and as many bytes,
// padded to an even number.
std::span<const std::byte> webp_exif(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, false);
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t length = reader.u32(at + 4), content = at + 8;
    if (reader.starts_with("EXIF", at)) {
      const std::size_t skipped = reader.starts_with("Exif", content) ? 6 : 0;
      if (length < skipped || length > bytes.size() - content) return {};
      return bytes.subspan(content + skipped, length - skipped);
    }
    at = content + length + length % 2;
  }
  return {};
}

}  // namespace

StoredHeader read_bmp_header(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, false);
  StoredHeader header;
  const std::uint32_t length = reader.u32(14);
  if (length == 12) {
    header.width = reader.u16(18);
    header.height = reader.u16(20);
  } else {
    header.width = static_cast<std::int32_t>(reader.u32(18));
    const std::int64_t height = static_cast<std::int32_t>(reader.u32(22));
    header.height = height < 0 ? -height : height;  // negative: stored from the top down
    header.alpha = reader.u16(28) == 32;
  }
  if (!reader.ok() || length < 12 || header.width <= 0 || header.height <= 0)
    return cut("BMP", bytes.size());
  return header;
}

bool is_big_tiff(std::span<const std::byte> bytes) {
  const ByteReader reader(bytes);
  return reader.starts_with(std::string_view("II+\0", 4)) ||
         reader.starts_with(std::string_view("MM\0+", 4));
}

StoredHeader read_tiff_header(std::span<const std::byte> bytes) {
  if (is_big_tiff(bytes)) {
    StoredHeader header;
    header.problem = "is a BigTIFF, which is not read";
    header.fix = "make it a plain TIFF: tiffcp IN.tif OUT.tif";
    return header;
  }
  constexpr std::uint32_t kWidth = 256, kHeight = 257, kBits = 258, kPhotometric = 262,
                          kSamples = 277, kSeparated = 5;
  ByteReader reader(bytes, ByteReader(bytes).starts_with("MM"));
  StoredHeader header;
  std::uint32_t photometric = 2, samples = 1;
  header.bit_depth = 1;  // TIFF 6.0: the default of BitsPerSample
  const std::size_t directory = reader.u32(4);
  const std::uint32_t entries = reader.u16(directory);
  for (std::size_t i = 0; i < entries && reader.ok(); ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    const std::uint32_t tag = reader.u16(entry);
    if (tag == kWidth) header.width = tiff_number(reader, entry);
    if (tag == kHeight) header.height = tiff_number(reader, entry);
    if (tag == kBits) header.bit_depth = static_cast<int>(tiff_number(reader, entry));
    if (tag == kPhotometric) photometric = tiff_number(reader, entry);
    if (tag == kSamples) samples = tiff_number(reader, entry);
  }
  header.cmyk = photometric == kSeparated;
  header.grey = photometric <= 1;
  header.white_is_zero = photometric == 0;
  header.alpha = samples == (header.grey ? 2u : 4u) && !header.cmyk;
  header.orientation = exif_orientation(bytes);
  if (!reader.ok() || header.width <= 0 || header.height <= 0) return cut("TIFF", bytes.size());
  return header;
}

StoredHeader read_webp_header(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, false);
  StoredHeader header;
  if (reader.starts_with("VP8X", 12)) {
    if ((reader.u8(20) & 0x02) != 0) {
      header.problem = "is an animated WebP, of which no picture is read";
      header.fix = "save the picture that is meant: webpmux -get frame 1 IN.webp -o OUT.webp";
      return header;
    }
    header.alpha = (reader.u8(20) & 0x10) != 0;
    header.width = reader.u24(24) + 1;
    header.height = reader.u24(27) + 1;
    header.orientation = exif_orientation(webp_exif(bytes));
  } else if (reader.starts_with("VP8L", 12)) {
    const std::uint32_t packed = reader.u32(21);
    header.width = (packed & 0x3FFF) + 1;
    header.height = (packed >> 14 & 0x3FFF) + 1;
    header.alpha = (packed >> 28 & 1) != 0;
  } else if (reader.starts_with("VP8 ", 12)) {
    header.width = reader.u16(26) & 0x3FFF;
    header.height = reader.u16(28) & 0x3FFF;
  }
  if (!reader.ok() || header.width <= 0 || header.height <= 0) return cut("WebP", bytes.size());
  return header;
}

}  // namespace letterpress
