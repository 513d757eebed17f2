#include <spng.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "preprocess/pictures/bands/line_decoder.h"
#include "preprocess/pictures/decoders.h"

namespace letterpress {
namespace {

class PngLines : public LineDecoder {
 public:
  explicit PngLines(const PictureBytes& bytes) : bytes_(bytes), png_(new_png()) {}

  // Returns libspng's code; 0: all is well.
  int start(Depth depth) {
    spng_ihdr header{};
    int failure = spng_set_png_stream(png_.get(), read, this);
    if (failure == 0) failure = spng_get_ihdr(png_.get(), &header);
    if (failure != 0) return failure;
    width = static_cast<std::int32_t>(header.width);
    height = static_cast<std::int32_t>(header.height);
    interlaced = header.interlace_method != 0;
    if (interlaced) return 0;
    depth_ = depth;
    if (header.bit_depth == 16) levels_.resize(4 * header.width);
    return spng_decode_image(png_.get(), nullptr, 0,
                             levels_.empty() ? SPNG_FMT_RGB8 : SPNG_FMT_RGBA16,
                             SPNG_DECODE_PROGRESSIVE);
  }

  std::string next_lines(std::int32_t n, std::uint8_t* rgb) override {
    const std::size_t line = 3 * static_cast<std::size_t>(width);
    for (std::int32_t i = 0; i < n; ++i, rgb += line) {
      const int failure = levels_.empty() ? spng_decode_row(png_.get(), rgb, line)
                                          : spng_decode_row(png_.get(), levels_.data(),
                                                            levels_.size() * sizeof levels_[0]);
      if (failure == SPNG_EOI ? ++lines_ != height : failure != 0) return reason(failure);
      if (failure == 0) ++lines_;
      if (!levels_.empty()) narrow_line(rgb);
    }
    return {};
  }

  std::string finish() override { return check_png(bytes_); }

  bool interlaced = false;

 private:
  static int read(spng_ctx*, void* user, void* to, std::size_t n) {
    auto* const lines = static_cast<PngLines*>(user);
    try {
      const std::span<const std::byte> found = lines->bytes_.view(lines->at_, n);
      if (found.size() < n) return SPNG_IO_EOF;
      std::memcpy(to, found.data(), n);
      lines->at_ += n;
      return 0;
    } catch (...) {
      lines->failure_ = std::current_exception();
      return SPNG_IO_ERROR;
    }
  }

  std::string reason(int failure) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return png_failure(failure);
  }

  void narrow_line(std::uint8_t* rgb) {
    const std::ptrdiff_t pixels = width;
    for (std::ptrdiff_t x = 1; x < pixels; ++x)
      std::copy_n(levels_.begin() + 4 * x, 3, levels_.begin() + 3 * x);
    narrow(std::span(levels_).first(3 * static_cast<std::size_t>(width)), depth_, rgb);
  }

  PictureBytes bytes_;
  std::size_t at_ = 0;  // of what is read next
  PngContext png_;
  std::vector<std::uint16_t> levels_;  // of a line, RGBA; empty: 8 bits
  Depth depth_ = Depth::unset;
  std::int32_t lines_ = 0;  // decoded
  std::exception_ptr failure_;
};

}  // namespace

OpenedLines open_png_lines(const PictureBytes& bytes, const PictureInfo& info) {
  if (info.bit_depth == 16 && info.depth == Depth::unset) return {};
  if (info.bit_depth == 16 && info.depth == Depth::minmax)
    return {nullptr, "PNG with --depth minmax"};
  auto lines = std::make_unique<PngLines>(bytes);
  if (lines->start(info.depth) != 0) return {};
  if (lines->interlaced) return {nullptr, "interlaced PNG"};
  return {std::move(lines), ""};
}

}  // namespace letterpress
