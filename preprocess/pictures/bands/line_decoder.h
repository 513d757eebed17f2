#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "preprocess/pictures/picture.h"

namespace letterpress {

/// Decodes a picture as it is stored, line after line, with the pixels that decode() gives. What is
/// wrong with the bytes is returned ("": nothing); a file that cannot be read throws Error, and
/// what memory cannot hold std::bad_alloc.
class LineDecoder {
 public:
  virtual ~LineDecoder() = default;
  /// rgb: uint8 [n, width, 3] <- the next n lines.
  virtual std::string next_lines(std::int32_t n, std::uint8_t* rgb) = 0;
  /// After the last line.
  virtual std::string finish() { return {}; }

  std::int32_t width = 0, height = 0;  ///< decoded pixels
};

/// lines: none where the picture cannot be decoded so, or its bytes are damaged; then the caller
/// decodes it whole. why_whole: what it is that is decoded whole, "progressive JPEG"; empty where
/// it is damaged.
struct OpenedLines {
  std::unique_ptr<LineDecoder> lines{};
  std::string why_whole{};
};

// bytes: outlive the result, as PictureBytes says.
OpenedLines open_jpeg_lines(const PictureBytes& bytes, const PictureInfo& info, int eighths);
OpenedLines open_png_lines(const PictureBytes& bytes, const PictureInfo& info);
OpenedLines open_tiff_lines(const PictureBytes& bytes, const PictureInfo& info);

}  // namespace letterpress
