// JPEG whose chroma is sampled as few cameras do, baseline and progressive, written by libjpeg.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>
// After what declares FILE and size_t.
#include <jpeglib.h>

#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

constexpr int kWidth = 80, kHeight = 64;

// A gradient, smooth enough for any sampling.
std::vector<std::uint8_t> gradient() {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (const int level : {x * 3, y * 3, 255 - x - y})
        rgb.push_back(static_cast<std::uint8_t>(level));
    }
  }
  return rgb;
}

// Pixels per sample, across and down, relative to each other.
struct ChromaSampling {
  const char* name;
  int luma_across, luma_down, cb_across, cb_down;
};

std::string sampled_jpeg(const ChromaSampling& sampling, bool progressive) {
  std::vector<std::uint8_t> rgb = gradient();
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = kWidth;
  jpeg.image_height = kHeight;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 95, TRUE);
  jpeg.comp_info[0].h_samp_factor = sampling.luma_across;
  jpeg.comp_info[0].v_samp_factor = sampling.luma_down;
  jpeg.comp_info[1].h_samp_factor = sampling.cb_across;
  jpeg.comp_info[1].v_samp_factor = sampling.cb_down;
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < kHeight; ++y) {
    JSAMPROW line = &rgb[static_cast<std::size_t>(3 * kWidth * y)];
    jpeg_write_scanlines(&jpeg, &line, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string text(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return text;
}

// The pixels, or why there are none.
std::pair<std::vector<std::uint8_t>, std::string> pixels_of(const std::string& content) {
  const auto info = probe(bytes_of(content), "a.jpg");
  if (!info) return {{}, to_string(info.reject())};
  Picture picture;
  const auto reject = decode(bytes_of(content), *info, 1, "a.jpg", picture);
  if (reject) return {{}, to_string(*reject)};
  CHECK(picture.width == kWidth);
  CHECK(picture.height == kHeight);
  return {{picture.rgb.begin(), picture.rgb.end()}, ""};
}

}  // namespace

TEST_CASE("a progressive JPEG of 4:1:1 or 4:4:0 is read as the baseline one of its coefficients") {
  for (const ChromaSampling& sampling :
       {ChromaSampling{"4:1:1", 4, 1, 1, 1}, {"4:4:0", 1, 2, 1, 1}, {"4:2:0", 2, 2, 1, 1}}) {
    CAPTURE(sampling.name);
    const auto [baseline, fault] = pixels_of(sampled_jpeg(sampling, false));
    const auto [progressive, other_fault] = pixels_of(sampled_jpeg(sampling, true));
    CHECK(fault == "");
    CHECK(other_fault == "");
    REQUIRE(!progressive.empty());
    CHECK(progressive == baseline);
    // A wrong order of chroma would be far off: of what was drawn, the mean error is a few levels.
    const std::vector<std::uint8_t> drawn = gradient();
    double sum = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) sum += std::abs(drawn[i] - progressive[i]);
    CHECK(sum / static_cast<double>(drawn.size()) < 16);
  }
}

TEST_CASE("a progressive JPEG of a sampling that TurboJPEG lacks is rejected with the remedy") {
  const ChromaSampling crossed{"Cb of half the lines, Cr of half the columns", 2, 2, 2, 1};
  CHECK(pixels_of(sampled_jpeg(crossed, false)).second == "");
  CHECK(
      pixels_of(sampled_jpeg(crossed, true))
          .second.find(
              "is a progressive JPEG of unusual chroma sampling, which is not read: save it again "
              "with 4:2:0 or 4:4:4") != std::string::npos);
}

}  // namespace letterpress
