// TIFFs in bands.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "tests/preprocess/pictures/banded_lines.h"

#ifdef LETTERPRESS_IMGCODECS
namespace letterpress {
namespace {

void add(std::string& text, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

struct TiffParts {
  std::uint32_t width = 0, height = 0;  // of a strip or tile
  bool tiled = false;
};

// TIFF 6.0, little-endian, uncompressed RGB or grey.
std::string tiff(std::uint32_t width, std::uint32_t height, std::uint32_t samples,
                 const TiffParts& parts) {
  const std::vector<std::uint8_t> rgb =
      drawn_rgb(static_cast<int>(width), static_cast<int>(height));
  const std::uint32_t across = (width + parts.width - 1) / parts.width,
                      down = (height + parts.height - 1) / parts.height, n = across * down;
  std::string pixels;
  std::vector<std::uint32_t> places, sizes;
  for (std::uint32_t part = 0; part < n; ++part) {
    places.push_back(static_cast<std::uint32_t>(8 + pixels.size()));
    const std::uint32_t left = part % across * parts.width, top = part / across * parts.height;
    for (std::uint32_t y = top; y < top + parts.height; ++y) {
      if (y >= height && !parts.tiled) break;
      for (std::uint32_t x = left; x < left + parts.width; ++x) {
        for (std::uint32_t c = 0; c < samples; ++c)
          pixels +=
              x < width && y < height ? static_cast<char>(rgb[3 * (y * width + x) + c]) : '\0';
      }
    }
    sizes.push_back(static_cast<std::uint32_t>(8 + pixels.size()) - places.back());
  }
  std::string text("II*\0", 4);
  const auto lists_at = static_cast<std::uint32_t>(8 + pixels.size());
  add(text, lists_at + 8 * n + 6, 4);
  text += pixels;
  for (const std::uint32_t place : places) add(text, place, 4);
  for (const std::uint32_t size : sizes) add(text, size, 4);
  for (int i = 0; i < 3; ++i) add(text, 8, 2);
  std::vector<std::array<std::uint32_t, 4>> entries{
      {256, 4, 1, width},
      {257, 4, 1, height},
      {258, 3, samples, samples == 1 ? 8 : lists_at + 8 * n},
      {259, 3, 1, 1},
      {262, 3, 1, samples == 1 ? 1u : 2u},
      {277, 3, 1, samples}};
  const std::array<std::uint32_t, 4> at{parts.tiled ? 324u : 273u, 4, n,
                                        n == 1 ? places[0] : lists_at},
      bytes{parts.tiled ? 325u : 279u, 4, n, n == 1 ? sizes[0] : lists_at + 4 * n};
  if (!parts.tiled)
    entries.insert(entries.end() - 1, at), entries.push_back({278, 4, 1, parts.height});
  if (parts.tiled)
    entries.push_back({322, 4, 1, parts.width}), entries.push_back({323, 4, 1, parts.height});
  if (parts.tiled) entries.push_back(at);
  entries.push_back(bytes);
  add(text, static_cast<std::uint32_t>(entries.size()), 2);
  for (const auto& [tag, type, count, value] : entries) {
    add(text, tag, 2), add(text, type, 2), add(text, count, 4), add(text, value, 4);
  }
  add(text, 0, 4);
  return text;
}

}  // namespace

// Tiles of a multiple of 1024 bytes: libtiff 4.5.0 of Debian 12 refuses others in memory.
TEST_CASE("strips and tiles of a TIFF are its lines") {
  for (const std::uint32_t samples : {1u, 3u}) {
    CAPTURE(samples);
    for (const TiffParts& parts : {TiffParts{101, 1},
                                   {101, 16},
                                   {101, 77},
                                   {32, 32, true},
                                   {128, 96, true},
                                   {48, 64, true}}) {
      CAPTURE(parts.width);
      CAPTURE(parts.height);
      CAPTURE(parts.tiled);
      const std::string content = tiff(101, 77, samples, parts);
      check_bands({"tiff", content}, bytes_of(content));
    }
  }
  const std::string photo = golden("pictures/photo.tiff");
  check_bands({"photo", photo}, bytes_of(photo));
}

}  // namespace letterpress
#endif
