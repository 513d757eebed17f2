#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
#include "preprocess/pictures/depth.h"
#include "preprocess/pictures/ycc.h"

namespace letterpress {

enum class PictureFormat { jpeg, png, cifar, other };

/// What a picture's header says. Width and height are of the displayed frame: after the EXIF turn.
struct PictureInfo {
  PictureFormat format = PictureFormat::other;
  std::int32_t width = 0, height = 0;
  std::int32_t orientation = 1;  ///< EXIF 1..8
  int bit_depth = 8;
  bool cmyk = false, alpha = false, grey = false;
  bool inverted_inks = false;  ///< of a CMYK JPEG: 255 is no ink
  Depth depth = Depth::unset;  ///< how to decode more than 8 bits
};

struct PictureLimits {
  std::int64_t max_pixels = 100'000'000;
  Depth depth = Depth::unset;  ///< of pictures with 9 to 16 bits per channel
};

/// Reads the header only: JPEG, PNG; a record of CIFAR-10's binary version (3,073 bytes of which
/// the first, the label, is 0..9); BMP, TIFF and WebP where OpenCV's imgcodecs are built in
/// (LETTERPRESS_IMGCODECS). Rejects: empty, text or unknown content (says what the first bytes look
/// like), header cut, more than max_pixels, more than 8 bits per channel (limits.depth says what to
/// do with up to 16). EXIF orientation is taken from JPEG (APP1), PNG (eXIf), TIFF and WebP (EXIF).
/// `where` names the picture in messages.
Expected<PictureInfo> probe(std::span<const std::byte> bytes, const std::string& where,
                            const PictureLimits& limits = {});

/// What decoding is to leave in a Picture.
enum class Pixels {
  rgb,     ///< rgb, and planes where the picture has any
  planes,  ///< planes, and rgb only where the picture has none; else rgb is empty
};

/// Decoded pixels of the displayed frame, rows without gaps. Memory is kept between pictures: one
/// per thread.
struct Picture {
  std::int32_t width = 0,
               height = 0;  ///< of `rgb`: the displayed frame's times scale_eighths / 8, rounded up
  std::vector<std::uint8_t> rgb;  ///< uint8 [height, width, 3]
  int scale_eighths = 8;          ///< DCT scaling that was used (JPEG), 8: none
  /// Where the displayed frame's left and top edges lie in `rgb`, pixels, 0 <= offset < 1: a frame
  /// pixel x is at offset_x + x * scale_eighths / 8. Not 0 only where rounding up met an EXIF turn
  /// that put the rounded edge first.
  double offset_x = 0, offset_y = 0;
  /// Of a JPEG in 4:2:0, 4:2:2 or 4:4:4 at whole size and not turned, 16 x 16 pixels at least; else
  /// none. rgb, where it is there too, is what libjpeg makes of them.
  YccPlanes planes;

  std::size_t kept_bytes() const {
    return rgb.capacity() + planes.luma.capacity() + planes.cb.capacity() + planes.cr.capacity();
  }
};

/// Decodes all of it: strict (a cut or damaged JPEG is a reject, TJFLAG_STOPONWARNING; one without
/// its end marker too, since nothing tells it from a cut one), accurate DCT, colours converted to
/// RGB (but see Pixels), EXIF turn applied. min_scale: the smallest scale (0..1] that later steps
/// need; JPEGs are decoded at the next larger of 1/8, 1/4, 1/2 and 1. Thread-safe for different
/// pictures. Throws Error (io) naming the picture when memory runs out: no fault of the picture, so
/// it is no reject. 16 bits become 8 as info.depth says. Grey is repeated in three channels. CMYK
/// and YCCK are taken as inverted where Adobe's marker stands, R = C*K/255, else as the inks stand,
/// R = (255-C)*(255-K)/255 (libjpeg.txt of the IJG). Alpha is dropped, not composited: the colours
/// below it stay, as in Pillow's convert("RGB") and OpenCV's IMREAD_COLOR.
std::optional<Reject> decode(std::span<const std::byte> bytes, const PictureInfo& info,
                             double min_scale, const std::string& where, Picture& picture,
                             Pixels wanted = Pixels::rgb);

/// A baseline JPEG, 4:4:4, of 8-bit RGB. rgb: uint8 [height, width, 3]; quality: 1..100 as in
/// libjpeg. Throws Error. (PNG: letterpress/page/png.h)
std::vector<std::byte> encode_jpeg(std::span<const std::uint8_t> rgb, std::int32_t width,
                                   std::int32_t height, int quality);

}  // namespace letterpress
