#include <turbojpeg.h>

#include <memory>
#include <new>
#include <string_view>

#include "preprocess/pictures/decoders.h"
#include "preprocess/pictures/kept_memory.h"

namespace letterpress {
namespace {

struct Destroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};

using Decoder = std::unique_ptr<void, Destroy>;

Decoder& decompressor() {
  thread_local Decoder handle;
  if (!handle) handle.reset(tjInitDecompress());
  return handle;
}

// Returns the reason, and drops the handle: after a failure TurboJPEG 2.1 may find faults in the
// next picture though it is sound.
std::string failure(Decoder& handle) {
  std::string reason = tjGetErrorStr2(handle.get());
  handle.reset();
  // libjpeg's JERR_OUT_OF_MEMORY and TurboJPEG's own
  if (reason.find("nsufficient memory") != reason.npos ||
      reason.find("emory allocation fail") != reason.npos)
    throw std::bad_alloc();
  return reason;
}

// Adobe stores CMYK inverted: 255 is no ink, and R = C * K / 255, rounded. Others store how much
// ink there is.
void cmyk_to_rgb(std::span<const std::uint8_t> cmyk, bool inverted, std::uint8_t* rgb) {
  const int turned = inverted ? 0 : 255;
  for (std::size_t i = 0; i + 3 < cmyk.size(); i += 4, rgb += 3) {
    for (std::size_t c = 0; c < 3; ++c)
      rgb[c] =
          static_cast<std::uint8_t>(((cmyk[i + c] ^ turned) * (cmyk[i + 3] ^ turned) + 127) / 255);
  }
}

// Strict: whatever is wrong with the bytes is an error, not a warning.
constexpr int kTruncated = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
constexpr int kStrict = kTruncated | TJFLAG_STOPONWARNING;

// What TurboJPEG finds first in a file that is sound up to where it ends. It keeps the text of the
// first warning, or of an error that ended it, and calls an error behind a warning a warning.
bool found_end(void* handle) {
  return tjGetErrorCode(handle) == TJERR_WARNING &&
         std::string_view(tjGetErrorStr2(handle)).starts_with("Premature end of JPEG file");
}

// Whether a decoding did what it is to do: all, or of a truncated picture what there is. A second
// decoding, which does not stop at the end, fills the rest. It has a handle of its own, for the
// reason that failure() gives.
template <class Decode>
bool decoded(Decoder& handle, bool truncated, const Decode& decode) {
  if (decode(handle.get(), kStrict) == 0) return true;
  if (!truncated || !found_end(handle.get())) return false;
  handle.reset(tjInitDecompress());
  if (!handle) throw std::bad_alloc();
  if (decode(handle.get(), kTruncated) != 0 && !found_end(handle.get())) return false;
  handle.reset();
  return true;
}

struct Header {
  int width = 0, height = 0, subsampling = 0, colours = 0;
};

// libjpeg does not interpolate the chroma of the narrowest pictures, it repeats it: small pictures
// are left to libjpeg.
bool has_planes(const Header& header) {
  const bool common = header.subsampling == TJSAMP_420 || header.subsampling == TJSAMP_422 ||
                      header.subsampling == TJSAMP_444;
  return common && header.colours == TJCS_YCbCr && header.width >= 16 && header.height >= 16;
}

// Returns false if TurboJPEG finds a fault. It pads luma to whole chroma pixels.
bool decode_planes(Decoder& handle, std::span<const std::byte> bytes, const Header& header,
                   bool truncated, YccPlanes& planes) {
  planes.halved_across = header.subsampling != TJSAMP_444;
  planes.halved_down = header.subsampling == TJSAMP_420;
  planes.width = header.width;
  planes.height = header.height;
  const auto plane = [&](int component) {
    return tjPlaneSizeYUV(component, header.width, 0, header.height, header.subsampling) +
           kYccSlack;
  };
  planes.luma.resize(plane(0));
  planes.cb.resize(plane(1));
  planes.cr.resize(plane(2));
  unsigned char* to[3] = {planes.luma.data(), planes.cb.data(), planes.cr.data()};
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto decode = [&](void* decoder, int flags) {
    return tjDecompressToYUVPlanes(decoder, data, bytes.size(), to, header.width, nullptr,
                                   header.height, flags);
  };
  if (decoded(handle, truncated, decode)) return true;
  planes.width = 0;
  return false;
}

}  // namespace

std::string decode_jpeg(std::span<const std::byte> bytes, const PictureInfo& info,
                        int scale_eighths, StoredPixels& pixels) {
  const bool cmyk = info.cmyk;
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  Decoder& handle = decompressor();
  if (!handle) throw std::bad_alloc();
  Header header;
  if (tjDecompressHeader3(handle.get(), data, bytes.size(), &header.width, &header.height,
                          &header.subsampling, &header.colours) != 0) {
    const std::string reason = failure(handle);
    return reason.find("subsampling") == reason.npos
               ? reason
               : decode_jpeg_lines(bytes, info, scale_eighths, pixels);
  }

  const tjscalingfactor scale{scale_eighths, 8};
  pixels.width = TJSCALED(header.width, scale);
  pixels.height = TJSCALED(header.height, scale);
  if (pixels.planes && !cmyk && has_planes(header))
    return decode_planes(handle, bytes, header, info.truncated, *pixels.planes) ? ""
                                                                                : failure(handle);

  const std::size_t count =
      static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
  pixels.rgb.resize(count * 3);
  thread_local std::vector<std::uint8_t> inks;
  if (cmyk) inks.resize(count * 4);
  const auto decode = [&](void* decoder, int flags) {
    return tjDecompress2(decoder, data, bytes.size(), cmyk ? inks.data() : pixels.rgb.data(),
                         pixels.width, 0, pixels.height, cmyk ? TJPF_CMYK : TJPF_RGB, flags);
  };
  if (!decoded(handle, info.truncated, decode)) return failure(handle);
  if (cmyk) cmyk_to_rgb(inks, info.inverted_inks, pixels.rgb.data());
  free_if_huge(inks);
  return "";
}

}  // namespace letterpress
