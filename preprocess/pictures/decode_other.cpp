#include "preprocess/pictures/decoders.h"

#ifdef LETTERPRESS_IMGCODECS
#include <algorithm>
#include <new>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#endif

namespace letterpress {

#ifdef LETTERPRESS_IMGCODECS
std::string decode_other(std::span<const std::byte> bytes, StoredPixels& pixels) {
  static const auto quiet = cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);  // the reject tells it all
  static_cast<void>(quiet);
  cv::Mat bgr;
  try {
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U, const_cast<std::byte*>(bytes.data()));
    bgr = cv::imdecode(encoded, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION);
  } catch (const cv::Exception& exception) {
    if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
    return "OpenCV: " + exception.err;
  }
  if (bgr.empty() || bgr.type() != CV_8UC3) return "OpenCV finds no picture in it";
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
std::string decode_other(std::span<const std::byte>, StoredPixels&) {
  return "this build reads JPEG and PNG only (-DLETTERPRESS_IMGCODECS=OFF)";
}
#endif

}  // namespace letterpress
