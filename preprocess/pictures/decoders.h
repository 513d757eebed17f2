#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "preprocess/pictures/picture.h"

namespace letterpress {

/// Pixels as stored, before the EXIF turn. rgb: uint8 [height, width, 3]; its memory is reused.
struct StoredPixels {
  std::int32_t width = 0, height = 0;
  std::vector<std::uint8_t>& rgb;
  YccPlanes* planes = nullptr;  ///< filled instead of rgb if the picture has any; nullptr: never
};

// Each returns "" or what is wrong with the bytes, and throws std::bad_alloc when memory runs out:
// that is not the picture's fault. Only the choice of the decoder relies on the caller's header.
std::string decode_jpeg(std::span<const std::byte> bytes, const PictureInfo& info,
                        int scale_eighths, StoredPixels& pixels);
std::string decode_png(std::span<const std::byte> bytes, const PictureInfo& info,
                       StoredPixels& pixels);
std::string decode_cifar(std::span<const std::byte> bytes, StoredPixels& pixels);
std::string decode_other(std::span<const std::byte> bytes, const PictureInfo& info,
                         StoredPixels& pixels);

/// Frees the memory of a huge picture: a thread keeps no more than 64 MiB between pictures.
inline void free_if_huge(std::vector<std::uint8_t>& kept) {
  constexpr std::size_t kKeptBytes = std::size_t{64} << 20;
  if (kept.capacity() > kKeptBytes) std::vector<std::uint8_t>().swap(kept);
}

/// turned <- the displayed frame of `stored` (width x height) under EXIF orientation 2..8
/// (Exif 2.32, tag 0x0112).
void turn(std::span<const std::uint8_t> stored, std::int32_t width, std::int32_t height,
          std::int32_t orientation, std::vector<std::uint8_t>& turned);

}  // namespace letterpress
