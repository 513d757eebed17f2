#include "preprocess/pictures/jpeg_round_trip.h"

#include <turbojpeg.h>

#include <memory>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

struct Destroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using Handle = std::unique_ptr<void, Destroy>;

void check(int failure, const Handle& handle) {
  if (failure != 0)
    throw Error(std::string("augmentation jpeg: TurboJPEG: ") + tjGetErrorStr2(handle.get()),
                Exit::io);
}

}  // namespace

void jpeg_round_trip(std::span<std::uint8_t> rgb, int side, int quality,
                     std::vector<std::uint8_t>& scratch) {
  thread_local const Handle compressor(tjInitCompress()), decompressor(tjInitDecompress());
  if (!compressor || !decompressor)
    throw Error("augmentation jpeg: TurboJPEG gives no coder (out of memory?)", Exit::io);
  unsigned long size = tjBufSize(side, side, TJSAMP_420);
  scratch.resize(size);
  unsigned char* bytes = scratch.data();
  check(tjCompress2(compressor.get(), rgb.data(), side, 0, side, TJPF_RGB, &bytes, &size,
                    TJSAMP_420, quality, TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC),
        compressor);
  check(tjDecompress2(decompressor.get(), bytes, size, rgb.data(), side, 0, side, TJPF_RGB,
                      TJFLAG_ACCURATEDCT),
        decompressor);
}

}  // namespace letterpress
