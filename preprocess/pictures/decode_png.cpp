#include <spng.h>

#include <algorithm>
#include <new>

#include "preprocess/pictures/decoders.h"

namespace letterpress {
namespace {

// libspng gives 16 bits only with alpha.
std::string decode_deep(spng_ctx* context, Depth depth, StoredPixels& pixels) {
  if (depth == Depth::unset) return "16 bits per channel, and no --depth says which of them matter";
  const std::size_t count =
      static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
  std::vector<std::uint16_t> levels(count * 4);
  const int failure = spng_decode_image(context, levels.data(), levels.size() * sizeof levels[0],
                                        SPNG_FMT_RGBA16, 0);
  if (failure != 0) return png_failure(failure);
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(levels.begin() + static_cast<std::ptrdiff_t>(4 * i), 3,
                levels.begin() + static_cast<std::ptrdiff_t>(3 * i));
  pixels.rgb.resize(count * 3);
  narrow(std::span(levels).first(count * 3), depth, pixels.rgb.data());
  return "";
}

std::string decode_pixels(std::span<const std::byte> bytes, const PictureInfo& info,
                          StoredPixels& pixels) {
  const PngContext context = new_png();
  spng_ihdr header{};
  std::size_t size = 0;
  int failure = spng_set_png_buffer(context.get(), bytes.data(), bytes.size());
  if (failure == 0) failure = spng_get_ihdr(context.get(), &header);
  if (failure == 0) failure = spng_decoded_image_size(context.get(), SPNG_FMT_RGB8, &size);
  if (failure != 0) return png_failure(failure);
  pixels.width = static_cast<std::int32_t>(header.width);
  pixels.height = static_cast<std::int32_t>(header.height);
  if (header.bit_depth == 16) return decode_deep(context.get(), info.depth, pixels);
  pixels.rgb.resize(size);
  failure = spng_decode_image(context.get(), pixels.rgb.data(), size, SPNG_FMT_RGB8, 0);
  return failure == 0 ? "" : png_failure(failure);
}

}  // namespace

PngContext new_png() {
  constexpr std::size_t kChunkLimit = std::size_t{64} << 20;
  PngContext png(spng_ctx_new(SPNG_CTX_IGNORE_ADLER32), spng_ctx_free);
  if (!png) throw std::bad_alloc();
  spng_set_chunk_limits(png.get(), kChunkLimit, kChunkLimit);
  spng_set_crc_action(png.get(), SPNG_CRC_USE, SPNG_CRC_DISCARD);
  return png;
}

std::string png_failure(int code) {
  if (code == SPNG_EMEM) throw std::bad_alloc();
  return spng_strerror(code);
}

std::string decode_png(std::span<const std::byte> bytes, const PictureInfo& info,
                       StoredPixels& pixels) {
  std::string problem = decode_pixels(bytes, info, pixels);
  return problem.empty() ? check_png(bytes) : problem;
}

}  // namespace letterpress
