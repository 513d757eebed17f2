#include <new>

#include "letterpress/base/error.h"
#include "preprocess/pictures/decoders.h"
#include "preprocess/pictures/kept_memory.h"

namespace letterpress {
namespace {

std::string decode_stored(std::span<const std::byte> bytes, const PictureInfo& info, int eighths,
                          StoredPixels& pixels) {
  switch (info.format) {
    case PictureFormat::jpeg:
      return decode_jpeg(bytes, info, eighths, pixels);
    case PictureFormat::png:
      return decode_png(bytes, info, pixels);
    case PictureFormat::cifar:
      return decode_cifar(bytes, pixels);
    case PictureFormat::other:
      break;
  }
  return decode_other(bytes, info, pixels);
}

// stored: memory for the pixels before an EXIF turn.
std::optional<Reject> decode_pixels(std::span<const std::byte> bytes, const PictureInfo& info,
                                    int eighths, const std::string& where,
                                    std::vector<std::uint8_t>& stored, Picture& picture) {
  const bool turned = info.orientation != 1;
  picture.planes.width = 0;
  StoredPixels pixels{0, 0, turned ? stored : picture.rgb,
                      turned || eighths != 8 ? nullptr : &picture.planes};
  std::string problem = decode_stored(bytes, info, eighths, pixels);

  picture.width = scaled_size(info.width, eighths);
  picture.height = scaled_size(info.height, eighths);
  const bool transposed = info.orientation >= 5;
  if (problem.empty() && std::pair(pixels.width, pixels.height) !=
                             (transposed ? std::pair(picture.height, picture.width)
                                         : std::pair(picture.width, picture.height)))
    problem = "decodes to " + std::to_string(pixels.width) + " x " + std::to_string(pixels.height) +
              ", another size than its header states";
  if (!problem.empty()) return undecodable(where, problem);

  picture.scale_eighths = eighths;
  if (turned) turn(stored, pixels.width, pixels.height, info.orientation, picture.rgb);
  // Rounding up adds a part of a pixel at the stored right and bottom; a turn may display that edge
  // at the left or at the top.
  const bool left_rounded = info.orientation == 2 || info.orientation == 3 ||
                            info.orientation == 6 || info.orientation == 7;
  const bool top_rounded = info.orientation == 3 || info.orientation == 4 ||
                           info.orientation == 7 || info.orientation == 8;
  picture.offset_x = left_rounded ? picture.width - info.width * eighths / 8.0 : 0;
  picture.offset_y = top_rounded ? picture.height - info.height * eighths / 8.0 : 0;
  return std::nullopt;
}

}  // namespace

std::int32_t scaled_size(std::int32_t size, int eighths) {
  return static_cast<std::int32_t>((static_cast<std::int64_t>(size) * eighths + 7) / 8);
}

Reject undecodable(const std::string& where, const std::string& problem) {
  return {where, "cannot be decoded: " + problem, "copy the file again, or remove it",
          Reject::Scope::picture};
}

void throw_no_memory(const PictureInfo& info, const std::string& where) {
  throw Error({.where = where,
               .what = "not enough memory to decode its " + std::to_string(info.width) + " x " +
                       std::to_string(info.height) + " pixels",
               .fix = "lower --threads, raise the memory limit, or leave it out by a lower "
                      "--max-pixels"},
              Exit::io);
}

// libjpeg-turbo has vector code for these scales only: 5, 6 and 7 eighths are slower than full
// size.
int decoded_eighths(const PictureInfo& info, double min_scale) {
  if (info.format != PictureFormat::jpeg) return 8;
  int eighths = 1;
  while (eighths < 8 && eighths < min_scale * 8) eighths *= 2;
  return eighths;
}

std::optional<Reject> decode(std::span<const std::byte> bytes, const PictureInfo& info,
                             double min_scale, const std::string& where, Picture& picture,
                             Pixels wanted) {
  thread_local std::vector<std::uint8_t> stored;
  try {
    auto reject =
        decode_pixels(bytes, info, decoded_eighths(info, min_scale), where, stored, picture);
    free_if_huge(stored);
    if (!reject && picture.planes) {
      picture.rgb.clear();
      if (wanted == Pixels::rgb) ycc_to_rgb(picture.planes, picture.rgb);
    }
    return reject;
  } catch (const std::bad_alloc&) {
    std::vector<std::uint8_t>().swap(stored);
    throw_no_memory(info, where);
  }
}

}  // namespace letterpress
