#include <turbojpeg.h>

#include <memory>
#include <stdexcept>

#include "letterpress/base/error.h"
#include "preprocess/pictures/jpeg_round_trip.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

struct DestroyCompressor {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using Handle = std::unique_ptr<void, DestroyCompressor>;

Handle opened(tjhandle handle) {
  if (!handle) throw Error("TurboJPEG gives no coder (out of memory?)", Exit::io);
  return Handle(handle);
}

void check(int failure, const Handle& handle) {
  if (failure != 0)
    throw Error(Message{.where = "TurboJPEG", .what = tjGetErrorStr2(handle.get())}, Exit::io);
}

struct Encoding {
  int width, height;
  int subsampling, quality;  ///< a TJSAMP; 1..100
  std::size_t most_bytes() const { return tjBufSize(width, height, subsampling); }
};

// jpeg <- the file, most_bytes() at most. Returns its bytes.
std::size_t compress(const std::uint8_t* rgb, const Encoding& encoding, unsigned char* jpeg) {
  thread_local const Handle compressor = opened(tjInitCompress());
  const auto& [width, height, subsampling, quality] = encoding;
  unsigned long size = encoding.most_bytes();
  check(tjCompress2(compressor.get(), rgb, width, 0, height, TJPF_RGB, &jpeg, &size, subsampling,
                    quality, TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC),
        compressor);
  return size;
}

}  // namespace

std::vector<std::byte> encode_jpeg(std::span<const std::uint8_t> rgb, std::int32_t width,
                                   std::int32_t height, int quality) {
  if (width < 1 || height < 1 ||
      rgb.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)
    throw std::logic_error("encode_jpeg: " + std::to_string(rgb.size()) + " bytes are not " +
                           std::to_string(width) + " x " + std::to_string(height) + " x 3");
  const Encoding encoding{width, height, TJSAMP_444, quality};
  std::vector<std::byte> jpeg(encoding.most_bytes());
  jpeg.resize(compress(rgb.data(), encoding, reinterpret_cast<unsigned char*>(jpeg.data())));
  return jpeg;
}

void jpeg_round_trip(std::span<std::uint8_t> rgb, int side, int quality,
                     std::vector<std::uint8_t>& scratch) {
  thread_local const Handle decompressor = opened(tjInitDecompress());
  const Encoding encoding{side, side, TJSAMP_420, quality};
  scratch.resize(encoding.most_bytes());
  const std::size_t size = compress(rgb.data(), encoding, scratch.data());
  check(tjDecompress2(decompressor.get(), scratch.data(), size, rgb.data(), side, 0, side, TJPF_RGB,
                      TJFLAG_ACCURATEDCT),
        decompressor);
}

}  // namespace letterpress
