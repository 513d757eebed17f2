#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
#include "preprocess/pictures/depth.h"
#include "preprocess/pictures/picture_bytes.h"
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
  bool inverted_inks = false;  ///< of a CMYK JPEG: 255 means no ink
  bool white_is_zero = false;  ///< of a TIFF
  bool several = false;        ///< pages of a TIFF or frames of a WebP or PNG: the first is decoded
  Depth depth = Depth::unset;  ///< how to decode more than 8 bits
  bool truncated = false;      ///< a JPEG that ends early and is kept, grey below its end
};

/// What happens to JPEGs that end early.
enum class Truncated {
  reject,
  keep,  ///< what is missing is grey
};

struct PictureLimits {
  std::int64_t max_pixels = 100'000'000;
  Depth depth = Depth::unset;  ///< of pictures with 9 to 16 bits per channel
  Truncated truncated = Truncated::reject;
};

/// Reads only the header: of a JPEG or PNG; of a record of CIFAR-10's binary version (3,073 bytes;
/// the first is the label, 0..9); of a BMP, TIFF or WebP if OpenCV's imgcodecs are built in
/// (LETTERPRESS_IMGCODECS). Rejects empty, text or unknown content (with what the first bytes look
/// like), a cut header, more than max_pixels, and more than 8 bits per channel (limits.depth says
/// what to do with up to 16). Takes the EXIF orientation from JPEG (APP1), PNG (eXIf), TIFF and
/// WebP (EXIF). `where` names the picture in messages.
Expected<PictureInfo> probe(const PictureBytes& bytes, const std::string& where,
                            const PictureLimits& limits = {});

/// What decoding puts into a Picture.
enum class Pixels {
  rgb,     ///< rgb, and planes if the picture has any
  planes,  ///< planes if the picture has any, and rgb stays empty; else rgb
};

/// Decoded pixels of the displayed frame, rows without gaps. Each thread has one and keeps its
/// memory between pictures.
struct Picture {
  /// The displayed frame's size times scale_eighths / 8, rounded up.
  std::int32_t width = 0, height = 0;
  /// uint8 [height, width, 3]; of a picture in bands some of these lines, from first_line on.
  std::vector<std::uint8_t> rgb;
  std::int32_t first_line = 0;
  int scale_eighths = 8;  ///< DCT scaling that was used (JPEG); 8: none
  /// The displayed frame's left and top edges in `rgb`, pixels, 0 <= offset < 1: a frame pixel x is
  /// at offset_x + x * scale_eighths / 8. Not 0 only if the size was rounded up and an EXIF turn
  /// put the rounded edge first.
  double offset_x = 0, offset_y = 0;
  /// Of a JPEG in 4:2:0, 4:2:2 or 4:4:4 that is decoded at whole size, not turned, and at least 16
  /// x 16 pixels large; else none. If there is rgb too, it is what libjpeg makes of them.
  YccPlanes planes;
};

/// The DCT scale that decode() takes, in eighths: for JPEGs the next of 1, 2, 4 and 8 that is not
/// below 8 * min_scale, for others 8.
int decoded_eighths(const PictureInfo& info, double min_scale);

/// Decodes the whole picture.
///   JPEG    strict: a cut or damaged one is a reject (TJFLAG_STOPONWARNING), and so is one without
///           its end marker, since nothing tells it from a cut one; accurate DCT. With
///           info.truncated a cut one is decoded up to its end: what is missing is grey, as
///           libjpeg fills it (a progressive one may lack detail instead), always the same
///   colours become RGB (but see Pixels); grey is repeated in three channels
///   CMYK    and YCCK: inverted if there is Adobe's marker, R = C*K/255, else not,
///           R = (255-C)*(255-K)/255 (libjpeg.txt of the IJG)
///   alpha   is dropped, not composited: the colours below it stay, as in Pillow's convert("RGB")
///           and OpenCV's IMREAD_COLOR
///   16 bits become 8 as info.depth says
///   EXIF    turn: applied
/// min_scale: the smallest scale (0..1] that later steps need, see decoded_eighths(). Thread-safe
/// for different pictures. Throws Error (io) naming the picture when memory runs out: that is not
/// the picture's fault, so it is not rejected.
std::optional<Reject> decode(std::span<const std::byte> bytes, const PictureInfo& info,
                             double min_scale, const std::string& where, Picture& picture,
                             Pixels wanted = Pixels::rgb);

/// A baseline JPEG, 4:4:4, of 8-bit RGB. rgb: uint8 [height, width, 3]; quality: 1..100 as in
/// libjpeg. Throws Error. (PNG: letterpress/page/png.h)
std::vector<std::byte> encode_jpeg(std::span<const std::uint8_t> rgb, std::int32_t width,
                                   std::int32_t height, int quality);

}  // namespace letterpress
