#include "preprocess/pictures/ycc.h"

#include <doctest/doctest.h>
#include <turbojpeg.h>

#include <memory>
#include <span>

#include "letterpress/base/cpu.h"
#include "preprocess/pictures/picture.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

using Turbo = std::unique_ptr<void, int (*)(tjhandle)>;

struct Sampling {
  const char* name;
  int of_turbojpeg;
  bool halved_across, halved_down;
};
constexpr Sampling kSamplings[] = {{"4:2:0", TJSAMP_420, true, true},
                                   {"4:2:2", TJSAMP_422, true, false},
                                   {"4:4:4", TJSAMP_444, false, false}};

std::uint8_t any_byte() {
  static std::uint32_t state = 5;
  return static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
}

// Blocks of noise and of ramps: chroma with and without overshoot, clipped and not.
std::vector<std::byte> drawn(int width, int height, int subsampling) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 1; c <= 3; ++c)
        rgb.push_back((x / 8 + y / 8) % 2 ? any_byte()
                                          : static_cast<std::uint8_t>(3 * c * x + 5 * y));
    }
  }
  const Turbo turbo(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  REQUIRE(tjCompress2(turbo.get(), rgb.data(), width, 0, height, TJPF_RGB, &bytes, &size,
                      subsampling, 92, 0) == 0);
  const std::span<const std::byte> written = std::as_bytes(std::span(bytes, size));
  std::vector<std::byte> jpeg(written.begin(), written.end());
  tjFree(bytes);
  return jpeg;
}

std::vector<std::uint8_t> rgb_by_libjpeg(std::span<const std::byte> jpeg, int width, int height) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(3 * width * height));
  const Turbo turbo(tjInitDecompress(), tjDestroy);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(jpeg.data());
  REQUIRE(tjDecompress2(turbo.get(), bytes, jpeg.size(), rgb.data(), width, 0, height, TJPF_RGB,
                        TJFLAG_ACCURATEDCT) == 0);
  return rgb;
}

Picture decoded(std::span<const std::byte> jpeg, Pixels wanted) {
  Picture picture;
  const Expected<PictureInfo> info = probe(jpeg, "drawn.jpg");
  REQUIRE(info);
  REQUIRE_FALSE(decode(jpeg, *info, 1, "drawn.jpg", picture, wanted));
  return picture;
}

TEST_CASE("planes become libjpeg's RGB to the byte, for each sampling and odd sizes") {
  for (const Sampling& sampling : kSamplings) {
    CAPTURE(sampling.name);
    for (const int width : {16, 17, 18, 31, 33, 63, 64, 65, 127, 129, 200}) {
      for (const int height : {16, 17, 19, 33}) {
        CAPTURE(width);
        CAPTURE(height);
        const std::vector<std::byte> jpeg = drawn(width, height, sampling.of_turbojpeg);
        const Picture picture = decoded(jpeg, Pixels::rgb);
        REQUIRE(picture.planes);
        CHECK(picture.planes.halved_across == sampling.halved_across);
        CHECK(picture.planes.halved_down == sampling.halved_down);
        CHECK(picture.rgb == rgb_by_libjpeg(jpeg, width, height));
      }
    }
  }
}

TEST_CASE("only planes are decoded if they are wanted and there are any; else RGB") {
  const Picture planes = decoded(drawn(40, 24, TJSAMP_420), Pixels::planes);
  CHECK(planes.planes);
  CHECK(planes.width == 40);
  CHECK(planes.height == 24);
  CHECK(planes.rgb.empty());
  for (const std::vector<std::byte>& without :
       {drawn(15, 40, TJSAMP_420), drawn(40, 15, TJSAMP_420), drawn(40, 24, TJSAMP_GRAY),
        drawn(40, 24, TJSAMP_440)}) {
    const Picture picture = decoded(without, Pixels::planes);
    CHECK_FALSE(picture.planes);
    CHECK(picture.rgb == rgb_by_libjpeg(without, picture.width, picture.height));
  }
}

TEST_CASE("a picture that is decoded smaller has no planes") {
  const std::vector<std::byte> jpeg = drawn(64, 48, TJSAMP_420);
  const Expected<PictureInfo> info = probe(jpeg, "drawn.jpg");
  REQUIRE(info);
  Picture picture;
  REQUIRE_FALSE(decode(jpeg, *info, 0.5, "drawn.jpg", picture, Pixels::planes));
  CHECK_FALSE(picture.planes);
  CHECK(picture.rgb.size() == 32 * 24 * 3);
  PictureInfo turned = *info;
  turned.orientation = 6;
  std::swap(turned.width, turned.height);
  REQUIRE_FALSE(decode(jpeg, turned, 1, "drawn.jpg", picture, Pixels::planes));
  CHECK_FALSE(picture.planes);
  CHECK(picture.rgb.size() == 48 * 64 * 3);
}

TEST_CASE("a picture without planes does not keep those of the picture before") {
  Picture picture = decoded(drawn(40, 24, TJSAMP_420), Pixels::planes);
  const std::vector<std::byte> grey = drawn(20, 30, TJSAMP_GRAY);
  const Expected<PictureInfo> info = probe(grey, "grey.jpg");
  REQUIRE(info);
  REQUIRE_FALSE(decode(grey, *info, 1, "grey.jpg", picture, Pixels::planes));
  CHECK_FALSE(picture.planes);
}

void check_lines(const YccKernels& kernel) {
  for (const Sampling& sampling : kSamplings) {
    for (const int width : {1, 2, 31, 64, 65, 97, 128, 300}) {
      CAPTURE(sampling.name);
      CAPTURE(width);
      std::vector<std::uint8_t> luma(static_cast<std::size_t>(width) + kYccSlack);
      for (std::uint8_t& byte : luma) byte = any_byte();
      std::vector<std::int16_t> chroma[2];
      for (std::vector<std::int16_t>& line : chroma) {
        line.resize(static_cast<std::size_t>(width) + 2 * kYccSlack);
        for (std::int16_t& word : line)
          word =
              static_cast<std::int16_t>(8 * (any_byte() - 128) + any_byte() % 8);  // overshoots too
      }
      const YccLine line{luma.data(), chroma[0].data() + kYccSlack, chroma[1].data() + kYccSlack,
                         width,       sampling.halved_across,       sampling.halved_down};
      std::vector<std::uint8_t> wanted(static_cast<std::size_t>(3 * width) + 8, 77);
      kYccBaseline.to_rgb(line, wanted.data());
      std::vector<std::uint8_t> got(wanted.size(), 77);
      kernel.to_rgb(line, got.data());
      CHECK(got == wanted);
    }
  }
}

TEST_CASE("AVX2 gives a line the baseline's RGB and writes nothing behind it" *
          doctest::test_suite("needs AVX2")) {
  if (!__builtin_cpu_supports("avx2")) return skip("this CPU has no AVX2");
  check_lines(kYccAvx2);
}

}  // namespace
}  // namespace letterpress
