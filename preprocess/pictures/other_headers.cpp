#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/headers.h"
#include "preprocess/pictures/tiff_directory.h"

namespace letterpress {
namespace {

StoredHeader cut(const char* format, std::size_t size) {
  StoredHeader header;
  header.problem =
      std::string(format) + " header cut or damaged within its " + std::to_string(size) + " bytes";
  return header;
}

// Whether a TIFF has a page behind the first: a directory that is neither a smaller copy nor a mask
// (TIFF 6.0: NewSubfileType).
bool has_more_pages(const PictureBytes& bytes) {
  constexpr std::uint32_t kSubfileType = 254, kSmaller = 1, kMask = 4;
  constexpr int kMost = 64;  // directories; one may lead back to another
  TiffDirectory directory(bytes);
  for (int i = 0; i < kMost && directory.next(); ++i) {
    if ((directory.number(kSubfileType, 0) & (kSmaller | kMask)) == 0) return true;
  }
  return false;
}

// The chunk of one of these names in bytes[at, end), with its eight bytes of name and length; empty
// if there is none. RIFF: a chunk is four letters, a length and as many bytes, padded to an even
// number.
std::span<const std::byte> webp_chunk(std::span<const std::byte> bytes, std::size_t at,
                                      std::initializer_list<std::string_view> names) {
  ByteReader reader(bytes, false);
  while (at + 8 <= bytes.size()) {
    const std::size_t length = reader.u32(at + 4);
    if (std::ranges::any_of(names, [&](auto name) { return reader.starts_with(name, at); })) {
      if (length > bytes.size() - at - 8) return {};
      return bytes.subspan(at, 8 + length);
    }
    at += 8 + length + length % 2;
  }
  return {};
}

// The content of the chunk EXIF without the six bytes "Exif\0\0" that some programs put before it,
// as in a JPEG; empty if there is none.
std::span<const std::byte> webp_exif(std::span<const std::byte> bytes) {
  const std::span<const std::byte> chunk = webp_chunk(bytes, 12, {"EXIF"});
  if (chunk.empty()) return {};
  const std::span<const std::byte> content = chunk.subspan(8);
  const std::size_t skipped = ByteReader(content).starts_with("Exif") ? 6 : 0;
  return content.size() < skipped ? std::span<const std::byte>() : content.subspan(skipped);
}

}  // namespace

std::span<const std::byte> first_frame_of_webp(std::span<const std::byte> bytes) {
  constexpr std::size_t kFrame = 8 + 16;  // of ANMF, before the frame's own chunks
  const std::span<const std::byte> frame = webp_chunk(bytes, 12, {"ANMF"});
  if (frame.size() < kFrame) return {};
  ByteReader reader(bytes, false), in_frame(frame, false);
  const bool fills = in_frame.u24(8) == 0 && in_frame.u24(11) == 0 &&
                     in_frame.u24(14) == reader.u24(24) && in_frame.u24(17) == reader.u24(27);
  return fills ? webp_chunk(frame, kFrame, {"VP8 ", "VP8L"}) : std::span<const std::byte>();
}

// Of 32 bits a pixel, where the channels are not at the bytes blue, green, red, as those of most
// programs are: OpenCV takes them for these. Masks stand behind BITMAPINFOHEADER, in later headers
// at the same place.
bool has_other_masks(ByteReader& reader) {
  constexpr std::uint32_t kBitFields = 3, kAlphaBitFields = 6;
  constexpr std::array<std::uint32_t, 3> kUsual{0xFF0000, 0xFF00, 0xFF};
  const std::uint32_t compression = reader.u32(30);
  if (reader.u16(28) != 32 || (compression != kBitFields && compression != kAlphaBitFields))
    return false;
  for (std::size_t i = 0; i < kUsual.size(); ++i) {
    if (reader.u32(54 + 4 * i) != kUsual[i]) return true;
  }
  return false;
}

StoredHeader read_bmp_header(const PictureBytes& bytes) {
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
    if (has_other_masks(reader)) {
      header.problem = "is a BMP whose channels are not blue, green, red, as its masks say";
      header.fix = "save it as PNG";
    }
  }
  if (!reader.ok() || length < 12 || header.width <= 0 || header.height <= 0)
    return cut("BMP", bytes.size());
  return header;
}

bool is_big_tiff(const PictureBytes& bytes) {
  const ByteReader reader(bytes);
  return reader.starts_with(std::string_view("II+\0", 4)) ||
         reader.starts_with(std::string_view("MM\0+", 4));
}

StoredHeader read_tiff_header(const PictureBytes& bytes) {
  constexpr std::uint32_t kWidth = 256, kHeight = 257, kBits = 258, kPhotometric = 262,
                          kSamples = 277, kSeparated = 5, kCieLab = 8, kItuLab = 10;
  TiffDirectory directory(bytes);
  StoredHeader header;
  header.width = directory.number(kWidth, 0);
  header.height = directory.number(kHeight, 0);
  header.bit_depth = static_cast<int>(directory.number(kBits, 1));
  const std::uint32_t photometric = directory.number(kPhotometric, 2),
                      samples = directory.number(kSamples, 1);
  header.cmyk = photometric == kSeparated;
  header.grey = photometric <= 1;
  header.white_is_zero = photometric == 0;
  header.alpha = samples == (header.grey ? 2u : 4u) && !header.cmyk;
  header.orientation = exif_orientation(bytes);
  header.several = has_more_pages(bytes);
  if (photometric >= kCieLab && photometric <= kItuLab) {
    header.problem = "is a TIFF of L*a*b* colours, which are not read";
    header.fix = "convert it to RGB";
  }
  if (!directory.reader().ok() || header.width <= 0 || header.height <= 0)
    return cut("TIFF", bytes.size());
  return header;
}

StoredHeader read_webp_header(const PictureBytes& stored) {
  const std::span<const std::byte> bytes = stored.all();
  ByteReader reader(bytes, false);
  StoredHeader header;
  if (reader.starts_with("VP8X", 12)) {
    header.several = (reader.u8(20) & 0x02) != 0;
    header.alpha = (reader.u8(20) & 0x10) != 0;
    header.width = reader.u24(24) + 1;
    header.height = reader.u24(27) + 1;
    header.orientation = exif_orientation(webp_exif(bytes));
    if (header.several && first_frame_of_webp(bytes).empty()) {
      header.problem = "is an animated WebP whose first picture does not fill it or is damaged";
      header.fix = "save the picture that is meant: webpmux -get frame 1 IN.webp -o OUT.webp";
      return header;
    }
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
