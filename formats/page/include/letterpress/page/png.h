#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

/// What an encoder looks for. The decoded pixels are the same.
enum class PngEffort {
  small,  ///< the smallest file of zlib's usual level
  fast,   ///< a twelfth of the time for photographs, a twentieth more bytes: runs and single bytes
};

/// An 8-bit RGB PNG. rgb: uint8 [height, width, 3]. software: the program that it names; empty:
/// none. Throws Error (io) if it cannot be made, std::logic_error if the sizes do not fit.
std::vector<std::byte> encode_png(std::span<const std::uint8_t> rgb, std::int32_t width,
                                  std::int32_t height, PngEffort effort = PngEffort::small,
                                  const std::string& software = "");

/// Which program a PNG names, by its first 256 bytes, where encode_png() puts that; empty: none, or
/// it is no PNG.
std::string software_of_png(std::string_view head);

}  // namespace letterpress
