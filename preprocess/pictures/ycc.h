#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace letterpress {

/// A JPEG's uint8 planes as they are stored (JFIF 1.02), before chroma is enlarged to the size of
/// luma and the colours become RGB.
struct YccPlanes {
  std::int32_t width = 0, height = 0;  ///< of luma; 0: none
  bool halved_across = false, halved_down = false;
  std::vector<std::uint8_t>
      luma;  ///< [height or, to even, one more, luma_stride()], and kYccSlack bytes
  std::vector<std::uint8_t> cb, cr;  ///< [chroma_height(), chroma_width()], and kYccSlack bytes

  explicit operator bool() const { return width != 0; }
  std::int32_t luma_stride() const { return halved_across ? (width + 1) / 2 * 2 : width; }
  std::int32_t chroma_width() const { return halved_across ? (width + 1) / 2 : width; }
  std::int32_t chroma_height() const { return halved_down ? (height + 1) / 2 : height; }
};

/// How many bytes, or words, may be read (but not used) behind a plane and on both sides of a line.
inline constexpr std::size_t kYccSlack = 32;

/// One line of a picture. Chroma is stored as four times its distance from 128: blending lines of
/// planes gives it so.
struct YccLine {
  const std::uint8_t* luma = nullptr;  ///< [width]
  const std::int16_t* cb = nullptr;    ///< [(width + 1) / 2] when halved_across, else [width]; the
                                       ///< words beside it repeat its ends
  const std::int16_t* cr = nullptr;
  std::int32_t width = 0;
  bool halved_across = false, halved_down = false;
};

/// rgb: uint8 [width, 3] <- the line. Halved chroma is interpolated linearly, 3 to 1 (libjpeg's
/// "fancy upsampling"); the colours are those of JFIF 1.02 in whole 1/65536. The bytes equal
/// libjpeg's unless the line was blended of other lines than libjpeg blends.
void ycc_to_rgb(const YccLine& line, std::uint8_t* rgb);

/// Repeats a chroma line's ends in the word before and the word behind it.
inline void repeat_ends(std::int16_t* chroma, std::int32_t width) {
  chroma[-1] = chroma[0];
  chroma[width] = chroma[width - 1];
}

/// rgb: uint8 [height, width, 3] <- the picture, with the bytes that libjpeg makes of it.
void ycc_to_rgb(const YccPlanes& planes, std::vector<std::uint8_t>& rgb);

/// The loops over a line, one version per instruction set; integer arithmetic, equal results.
struct YccKernels {
  void (*to_rgb)(const YccLine& line, std::uint8_t* rgb);
};
extern const YccKernels kYccBaseline, kYccAvx2;

}  // namespace letterpress
