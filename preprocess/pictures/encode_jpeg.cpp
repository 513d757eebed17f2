#include <turbojpeg.h>

#include <memory>
#include <stdexcept>

#include "letterpress/base/error.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {

std::vector<std::byte> encode_jpeg(std::span<const std::uint8_t> rgb, std::int32_t width,
                                   std::int32_t height, int quality) {
  if (width < 1 || height < 1 ||
      rgb.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)
    throw std::logic_error("encode_jpeg: " + std::to_string(rgb.size()) + " bytes are no " +
                           std::to_string(width) + " x " + std::to_string(height) + " x 3");
  struct Destroy {
    void operator()(void* handle) const { tjDestroy(handle); }
  };
  thread_local const std::unique_ptr<void, Destroy> compressor(tjInitCompress());
  if (!compressor)
    throw Error("a JPEG cannot be written: TurboJPEG gives no coder (out of memory?)", Exit::io);
  unsigned long size = tjBufSize(width, height, TJSAMP_444);
  std::vector<std::byte> bytes(size);
  auto* target = reinterpret_cast<unsigned char*>(bytes.data());
  const int failure =
      tjCompress2(compressor.get(), rgb.data(), width, 0, height, TJPF_RGB, &target, &size,
                  TJSAMP_444, quality, TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC);
  if (failure != 0)
    throw Error(std::string("a JPEG cannot be written: ") + tjGetErrorStr2(compressor.get()),
                Exit::io);
  bytes.resize(size);
  return bytes;
}

}  // namespace letterpress
