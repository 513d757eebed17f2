#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/decoders.h"
#include "preprocess/pictures/headers.h"

namespace letterpress {
namespace {

constexpr std::size_t kSide = 32, kPlane = kSide * kSide, kRecord = 1 + 3 * kPlane;

}  // namespace

bool is_cifar_record(const PictureBytes& bytes) {
  constexpr std::byte kClasses{10};
  return bytes.size() == kRecord && bytes.view(0, 1)[0] < kClasses;
}

StoredHeader read_cifar_header(const PictureBytes&) {
  StoredHeader header;
  header.width = header.height = kSide;
  return header;
}

std::string decode_cifar(std::span<const std::byte> bytes, StoredPixels& pixels) {
  pixels.width = pixels.height = kSide;
  pixels.rgb.resize(3 * kPlane);
  for (std::size_t i = 0; i < kPlane; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      pixels.rgb[3 * i + c] = std::to_integer<std::uint8_t>(bytes[1 + c * kPlane + i]);
  }
  return "";
}

}  // namespace letterpress
