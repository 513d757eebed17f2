#include "preprocess/pictures/ycc.h"

#include <algorithm>

#include "letterpress/base/cpu.h"

namespace letterpress {
namespace {

// The chroma for line y of the picture: of two chroma lines, the nearer counts three times.
void chroma_line(const YccPlanes& planes, const std::vector<std::uint8_t>& plane, std::int32_t y,
                 std::int16_t* out) {
  const std::int32_t width = planes.chroma_width(), last = planes.chroma_height() - 1;
  const std::int32_t near = planes.halved_down ? y / 2 : y,
                     far = planes.halved_down ? std::clamp(y % 2 ? near + 1 : near - 1, 0, last)
                                              : near;
  const auto line = [&](std::int32_t row) {
    return plane.data() + static_cast<std::ptrdiff_t>(row) * width;
  };
  const std::uint8_t *const first = line(near), *const second = line(far);
  for (std::int32_t i = 0; i < width; ++i)
    out[i] = static_cast<std::int16_t>(3 * first[i] + second[i] - 512);
  repeat_ends(out, width);
}

}  // namespace

void ycc_to_rgb(const YccLine& line, std::uint8_t* rgb) {
  static const YccKernels& kernels = runs_avx2() ? kYccAvx2 : kYccBaseline;
  kernels.to_rgb(line, rgb);
}

void ycc_to_rgb(const YccPlanes& planes, std::vector<std::uint8_t>& rgb) {
  const auto width = static_cast<std::size_t>(planes.width),
             height = static_cast<std::size_t>(planes.height);
  rgb.resize(3 * width * height);
  thread_local std::vector<std::int16_t> chroma;
  const std::size_t room = static_cast<std::size_t>(planes.chroma_width()) + 2 * kYccSlack;
  chroma.resize(2 * room);
  std::int16_t *const cb = chroma.data() + kYccSlack, *const cr = cb + room;
  for (std::int32_t y = 0; y < planes.height; ++y) {
    chroma_line(planes, planes.cb, y, cb);
    chroma_line(planes, planes.cr, y, cr);
    const std::uint8_t* const luma =
        planes.luma.data() + static_cast<std::ptrdiff_t>(y) * planes.luma_stride();
    ycc_to_rgb({luma, cb, cr, planes.width, planes.halved_across, planes.halved_down},
               rgb.data() + 3 * width * static_cast<std::size_t>(y));
  }
}

}  // namespace letterpress
