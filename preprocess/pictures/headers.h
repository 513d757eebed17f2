#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "preprocess/pictures/picture.h"
#include "preprocess/pictures/picture_bytes.h"

namespace letterpress {

/// What a format's own header states, of the stored frame, before the EXIF turn. `problem` is
/// empty, or says why the header is of no use.
struct StoredHeader {
  std::int64_t width = 0, height = 0;
  std::int32_t orientation = 1;
  int bit_depth = 8;
  bool cmyk = false, alpha = false, grey = false;
  bool white_is_zero = false;  ///< TIFF
  bool several = false;        ///< pages or frames, of which this is the first
  bool adobe = false;          ///< JPEG: has Adobe's marker, so CMYK is inverted
  std::string problem;
  std::string fix = "copy the file again, or remove it";  ///< of the problem
};

/// Offset of the lower byte of a SHORT or LONG value below 256 in the first directory; 0: there is
/// none.
std::size_t tiff_value_offset(const PictureBytes& tiff, std::uint32_t tag);
/// Orientation 1..8 from a TIFF structure (the body of EXIF; Exif 2.32, tag 0x0112); 1 if it is
/// absent or malformed.
std::int32_t exif_orientation(const PictureBytes& tiff);
/// Offset in `tiff` of the lower byte of that value; 0: there is none.
std::size_t exif_orientation_offset(const PictureBytes& tiff);

/// Whether a JPEG lacks its end marker: it was cut, or never written to its end.
bool ends_early(const PictureBytes& jpeg);
/// ITU T.81: SOF, APP1 Exif; T.872: APP14 Adobe.
StoredHeader read_jpeg_header(const PictureBytes& bytes);
StoredHeader read_png_header(const PictureBytes& bytes);  ///< PNG 1.2: IHDR, tRNS, eXIf
/// BITMAPCOREHEADER, BITMAPINFOHEADER and later.
StoredHeader read_bmp_header(const PictureBytes& bytes);
/// cs.toronto.edu/~kriz/cifar.html: a label 0..9, three planes of 32 x 32.
bool is_cifar_record(const PictureBytes& bytes);
StoredHeader read_cifar_header(const PictureBytes& bytes);
bool is_big_tiff(const PictureBytes& bytes);  ///< awaresystems.be/imaging/tiff/bigtiff.html
StoredHeader read_tiff_header(const PictureBytes& bytes);   ///< TIFF 6.0: first directory
StoredHeader read_webp_header(const PictureBytes& stored);  ///< RFC 9649: VP8, VP8L, VP8X
/// Of an animated WebP: its first frame's chunk VP8 or VP8L, with name and length. Empty if that
/// frame is damaged or does not fill the picture.
std::span<const std::byte> first_frame_of_webp(std::span<const std::byte> bytes);

}  // namespace letterpress
