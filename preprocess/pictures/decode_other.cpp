#include "preprocess/pictures/decoders.h"
#include "preprocess/pictures/headers.h"

#ifdef LETTERPRESS_IMGCODECS
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <new>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <type_traits>

#include "letterpress/base/error.h"
#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/quiet_decoders.h"
#include "preprocess/pictures/tiff_errors.h"
#endif

namespace letterpress {

#ifdef LETTERPRESS_IMGCODECS
namespace {

using Imdecode = cv::Mat (*)(cv::InputArray, int);
static_assert(std::is_same_v<Imdecode, decltype(static_cast<Imdecode>(&cv::imdecode))>);
constexpr const char* kMangledImdecode = "_ZN2cv8imdecodeERKNS_11_InputArrayEi";

// OpenCV gives libtiff a handler of its own with the first TIFF that it opens, once: here with the
// start of one.
void hear_tiff_errors(void* library, Imdecode decoder) {
  using SetHandler = decltype (&keep_tiff_error) (*)(decltype(&keep_tiff_error));
  std::array<std::uint8_t, 64> start{'I', 'I', 42};
  decoder(cv::Mat(1, static_cast<int>(start.size()), CV_8U, start.data()), cv::IMREAD_COLOR);
  const auto set = reinterpret_cast<SetHandler>(dlsym(library, "TIFFSetErrorHandler"));
  if (set) set(keep_tiff_error);
}

// imgcodecs needs a hundred libraries (GDAL, GDCM, ...), and loading them takes as long as decoding
// many pictures. So it is not linked, but loaded for the first picture that needs it.
Imdecode load_imdecode() {
  void* const library = dlopen(LETTERPRESS_IMGCODECS, RTLD_NOW | RTLD_LOCAL);
  void* const function = library ? dlsym(library, kMangledImdecode) : nullptr;
  if (function) {
    const auto decoder = reinterpret_cast<Imdecode>(function);
    hear_tiff_errors(library, decoder);
    return decoder;
  }
  throw Error({.what = std::string("OpenCV's decoders of BMP, TIFF and WebP cannot be loaded: ") +
                       dlerror(),
               .fix = "install " LETTERPRESS_IMGCODECS " of OpenCV " CV_VERSION
                      ", with which this program was built"},
              Exit::configuration);
}

cv::Mat decode_by_opencv(const cv::Mat& encoded, int flags) {
  const InDecoder printing;
  static const Imdecode loaded = load_imdecode();
  return loaded(encoded, flags);
}

cv::Mat narrowed(const cv::Mat& deep, Depth depth) {
  const cv::Mat whole = deep.isContinuous() ? deep : deep.clone();
  cv::Mat bytes(whole.rows, whole.cols, CV_8UC3);
  narrow({whole.ptr<std::uint16_t>(), whole.total() * 3}, depth, bytes.data);
  return bytes;
}

// OpenCV moves levels of 10, 12 or 14 bits to the top of 16.
cv::Mat as_stored(const cv::Mat& deep, int bits) {
  if (bits >= 16) return deep;
  cv::Mat levels = deep.clone();
  levels.forEach<cv::Vec<std::uint16_t, 3>>([&](auto& pixel, const int*) {
    for (int i = 0; i < 3; ++i) pixel[i] = static_cast<std::uint16_t>(pixel[i] >> (16 - bits));
  });
  return levels;
}

// OpenCV always turns a TIFF as its header says, but we turn all formats ourselves; and libtiff
// darkens colours by alpha that its header calls unassociated, but alpha is dropped here. The copy
// says 1 of both: upright, and associated. Empty: the bytes are enough.
std::vector<std::byte> plain_tiff(std::span<const std::byte> bytes, const PictureInfo& info) {
  constexpr std::uint32_t kExtraSamples = 338;
  const std::size_t turn = exif_orientation(bytes) != 1 ? exif_orientation_offset(bytes) : 0;
  const std::size_t alpha = info.alpha ? tiff_value_offset(bytes, kExtraSamples) : 0;
  std::vector<std::byte> copy;
  if (turn == 0 && alpha == 0) return copy;
  copy.assign(bytes.begin(), bytes.end());
  for (const std::size_t offset : {turn, alpha}) {
    if (offset != 0) copy[offset] = std::byte{1};
  }
  return copy;
}

// OpenCV reads no animated WebP. Its first frame as a WebP of its own: RIFF, the length of what
// follows, WEBP, the frame.
std::vector<std::byte> still_webp(std::span<const std::byte> bytes) {
  const std::span<const std::byte> frame = first_frame_of_webp(bytes);
  std::vector<std::byte> still(bytes.begin(), bytes.begin() + 12);
  still.insert(still.end(), frame.begin(), frame.end());
  if (frame.size() % 2 != 0) still.push_back(std::byte{0});
  const std::size_t length = still.size() - 8;
  for (std::size_t i = 0; i < 4; ++i) still[4 + i] = static_cast<std::byte>(length >> (8 * i));
  return still;
}

// What OpenCV is to decode in place of the bytes; empty: the bytes are enough.
std::vector<std::byte> replacement(std::span<const std::byte> bytes, const PictureInfo& info) {
  const bool is_webp = ByteReader(bytes).starts_with("RIFF");
  if (is_webp) return info.several ? still_webp(bytes) : std::vector<std::byte>();
  return plain_tiff(bytes, info);
}

}  // namespace

std::string decode_other(std::span<const std::byte> bytes, const PictureInfo& info,
                         StoredPixels& pixels) {
  static const auto quiet = cv::utils::logging::setLogLevel(
      cv::utils::logging::LOG_LEVEL_SILENT);  // the reject says it all
  static_cast<void>(quiet);
  cv::Mat bgr;
  try {
    const std::vector<std::byte> other = replacement(bytes, info);
    if (!other.empty()) bytes = other;
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U,
                          const_cast<std::byte*>(bytes.data()));
    const int deep = info.bit_depth > 8 ? cv::IMREAD_ANYDEPTH : 0;
    take_tiff_error();
    bgr = decode_by_opencv(encoded, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION | deep);
    // libtiff inverts 8 bits only.
    if (bgr.type() == CV_16UC3 && info.white_is_zero) cv::bitwise_not(bgr, bgr);
    if (bgr.type() == CV_16UC3 && info.depth != Depth::unset)
      bgr = narrowed(as_stored(bgr, info.bit_depth), info.depth);
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    return "OpenCV: " + exception.err;
  }
  const std::string damage = take_tiff_error();
  if (!damage.empty()) return "libtiff: " + damage;
  if (bgr.empty() || bgr.type() != CV_8UC3)
    return "OpenCV finds no picture in it, or one of a kind that it does not read (save it as PNG)";
  pixels.width = bgr.cols;
  pixels.height = bgr.rows;
  pixels.rgb.resize(static_cast<std::size_t>(bgr.cols) * static_cast<std::size_t>(bgr.rows) * 3);
  std::uint8_t* out = pixels.rgb.data();
  for (int y = 0; y < bgr.rows; ++y) {
    const std::uint8_t* const in = bgr.ptr(y);
    for (int x = 0; x < bgr.cols; ++x, out += 3) std::reverse_copy(in + 3 * x, in + 3 * x + 3, out);
  }
  return "";
}
#else
std::string decode_other(std::span<const std::byte>, const PictureInfo&, StoredPixels&) {
  return "this build only reads JPEG and PNG (-DLETTERPRESS_IMGCODECS=OFF)";
}
#endif

}  // namespace letterpress
