#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace letterpress {

/// Writes a frame as a baseline JPEG (4:2:0, integer DCT) and reads it back in place, as a camera
/// or a web site does to a picture. rgb: uint8 [side, side, 3]; quality 1..100 as in libjpeg;
/// scratch: memory kept between calls. Gives the same bytes on every x86-64 host with the same
/// library. Throws Error (io) when memory runs out.
void jpeg_round_trip(std::span<std::uint8_t> rgb, int side, int quality,
                     std::vector<std::uint8_t>& scratch);

}  // namespace letterpress
