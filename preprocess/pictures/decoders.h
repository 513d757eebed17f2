#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "preprocess/pictures/picture.h"

struct spng_ctx;

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
/// One that TurboJPEG does not know how to decode, line after line: of unusual chroma sampling.
std::string decode_jpeg_lines(std::span<const std::byte> bytes, const PictureInfo& info,
                              int scale_eighths, StoredPixels& pixels);
std::string decode_png(std::span<const std::byte> bytes, const PictureInfo& info,
                       StoredPixels& pixels);
std::string decode_cifar(std::span<const std::byte> bytes, StoredPixels& pixels);
std::string decode_other(std::span<const std::byte> bytes, const PictureInfo& info,
                         StoredPixels& pixels);

// What the two ways to decode share: whole, and line after line (bands/).
Reject undecodable(const std::string& where, const std::string& problem);
[[noreturn]] void throw_no_memory(const PictureInfo& info, const std::string& where);
/// Pixels of a size that is decoded at a scale, rounded up.
std::int32_t scaled_size(std::int32_t size, int eighths);
using PngContext = std::unique_ptr<spng_ctx, void (*)(spng_ctx*)>;
/// Texts and profiles cannot blow up its memory. It leaves the checksums of what the pixels depend
/// on to check_png(). Throws std::bad_alloc.
PngContext new_png();
/// What is wrong with the chunks of a PNG up to its last pixels, "" where each that they depend on
/// has the CRC-32 of its bytes (PNG specification, "Chunk layout"). libspng stops at the last
/// pixel, before it has seen the last checksums.
std::string check_png(const PictureBytes& bytes);
std::string png_failure(int code);  ///< of libspng; throws std::bad_alloc

/// turned <- the displayed frame of `stored` (width x height) under EXIF orientation 2..8
/// (Exif 2.32, tag 0x0112).
void turn(std::span<const std::uint8_t> stored, std::int32_t width, std::int32_t height,
          std::int32_t orientation, std::vector<std::uint8_t>& turned);

}  // namespace letterpress
