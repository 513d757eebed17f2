#include "tests/bench/photographs.h"

#include <turbojpeg.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {

constexpr int kWidth = 640, kHeight = 480, kDrawn = 64;

// Soft shades with edges and grain, so that the decoder finds coefficients as in photographs with
// as many bytes.
std::vector<std::uint8_t> drawn_pixels(std::uint32_t seed) {
  std::vector<std::uint8_t> rgb(std::size_t{3} * kWidth * kHeight);
  std::uint32_t noise = seed * 2654435761U + 1;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      noise = noise * 1664525U + 1013904223U;
      const double shade =
          128 + 60 * std::sin((x + 37.0 * seed) / 41) * std::cos((y + 11.0 * seed) / 29);
      const int disc =
          (x % 120 - 60) * (x % 120 - 60) + (y % 96 - 48) * (y % 96 - 48) < 900 ? 40 : 0;
      const int grain = static_cast<int>(noise >> 29);
      for (int c = 0; c < 3; ++c) {
        const double value = shade + grain + (c == static_cast<int>(seed % 3) ? disc : -disc / 2);
        rgb[static_cast<std::size_t>((y * kWidth + x) * 3 + c)] =
            static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
  }
  return rgb;
}

std::vector<std::byte> drawn_photograph(std::uint32_t seed) {
  const std::vector<std::uint8_t> rgb = drawn_pixels(seed);
  const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitCompress(), tjDestroy);
  unsigned char* jpeg = nullptr;
  unsigned long size = 0;
  if (tjCompress2(handle.get(), rgb.data(), kWidth, 0, kHeight, TJPF_RGB, &jpeg, &size, TJSAMP_420,
                  80, TJFLAG_ACCURATEDCT) != 0)
    throw Error(Message{.where = "drawing a photograph", .what = tjGetErrorStr2(handle.get())},
                Exit::bug);
  const auto* const first = reinterpret_cast<const std::byte*>(jpeg);
  const std::vector<std::byte> bytes(first, first + size);
  tjFree(jpeg);
  return bytes;
}

bool is_jpeg(const std::filesystem::path& path) {
  return path.extension() == ".jpg" || path.extension() == ".jpeg";
}

}  // namespace

std::vector<std::vector<std::byte>> load_photographs(const std::filesystem::path& folder) {
  std::vector<std::vector<std::byte>> photographs;
  if (folder.empty()) {
    for (std::uint32_t seed = 0; seed < kDrawn; ++seed)
      photographs.push_back(drawn_photograph(seed));
    return photographs;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (is_jpeg(entry.path())) paths.push_back(entry.path());
  }
  if (paths.empty())
    throw Error({.where = folder.string(),
                 .what = "holds no .jpg",
                 .fix = "give another folder, or none for drawn pictures"},
                Exit::no_input);
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) read_file(path, photographs.emplace_back());
  return photographs;
}

}  // namespace letterpress
