#include "preprocess/pictures/bands/banded_picture.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "preprocess/pictures/bands/line_decoder.h"
#include "preprocess/pictures/decoders.h"

namespace letterpress {

BandedPicture::BandedPicture(std::unique_ptr<LineDecoder> lines, const PictureInfo& info,
                             int eighths, std::string where)
    : lines_(std::move(lines)), info_(info), where_(std::move(where)) {
  picture_.width = lines_->width;
  picture_.height = lines_->height;
  picture_.scale_eighths = eighths;
}

BandedPicture::~BandedPicture() = default;

template <class Work>
std::optional<Reject> BandedPicture::guarded(const Work& work) {
  try {
    const std::string problem = work();
    if (problem.empty()) return std::nullopt;
    return undecodable(where_, problem);
  } catch (const std::bad_alloc&) {
    throw_no_memory(info_, where_);
  }
}

void BandedPicture::expect(std::int32_t lines) {
  (void)guarded([&] {
    picture_.rgb.reserve(3 * static_cast<std::size_t>(picture_.width) *
                         static_cast<std::size_t>(std::min(lines, picture_.height)));
    return std::string();
  });
}

void BandedPicture::drop_above(std::int32_t first) {
  const std::size_t line = 3 * static_cast<std::size_t>(picture_.width);
  const std::size_t gone =
      std::min(line * static_cast<std::size_t>(first - picture_.first_line), picture_.rgb.size());
  picture_.first_line = first;
  if (gone == 0) return;
  std::memmove(picture_.rgb.data(), picture_.rgb.data() + gone, picture_.rgb.size() - gone);
  picture_.rgb.resize(picture_.rgb.size() - gone);
}

std::optional<Reject> BandedPicture::keep(std::int32_t first, std::int32_t end) {
  first = std::clamp(first, 0, picture_.height);
  end = std::clamp(end, first, picture_.height);
  assert(first >= picture_.first_line);
  return guarded([&] {
    const std::size_t line = 3 * static_cast<std::size_t>(picture_.width);
    // Lines between two bands pass through the buffer one by one.
    while (decoded_ < end) {
      drop_above(std::min(first, decoded_));
      const std::int32_t n = decoded_ < first ? 1 : end - decoded_;
      const std::size_t held = picture_.rgb.size();
      picture_.rgb.resize(held + line * static_cast<std::size_t>(n));
      std::string problem = lines_->next_lines(n, picture_.rgb.data() + held);
      if (!problem.empty()) return problem;
      decoded_ += n;
    }
    drop_above(first);
    return std::string();
  });
}

std::optional<Reject> BandedPicture::finish() {
  if (auto reject = keep(picture_.height, picture_.height)) return reject;
  return guarded([&] { return lines_->finish(); });
}

OpenedBands open_bands(const PictureBytes& bytes, const PictureInfo& info, double min_scale,
                       const std::string& where) {
  if (info.orientation != 1) return {nullptr, "picture that EXIF turns"};
  const int eighths = decoded_eighths(info, min_scale);
  try {
    OpenedLines opened;
    switch (info.format) {
      case PictureFormat::jpeg:
        opened = open_jpeg_lines(bytes, info, eighths);
        break;
      case PictureFormat::png:
        opened = open_png_lines(bytes, info);
        break;
      case PictureFormat::other:
        opened = open_tiff_lines(bytes, info);
        break;
      case PictureFormat::cifar:
        break;
    }
    if (!opened.lines) return {nullptr, std::move(opened.why_whole)};
    if (opened.lines->width != scaled_size(info.width, eighths) ||
        opened.lines->height != scaled_size(info.height, eighths))
      return {};
    return {std::make_unique<BandedPicture>(std::move(opened.lines), info, eighths, where), ""};
  } catch (const std::bad_alloc&) {
    throw_no_memory(info, where);
  }
}

}  // namespace letterpress
