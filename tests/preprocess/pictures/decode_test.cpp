#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "letterpress/page/png.h"
#include "preprocess/pictures/decoders.h"
#include "preprocess/pictures/kept_memory.h"
#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

#ifdef LETTERPRESS_IMGCODECS
const std::vector<const char*> kOtherPictures{"photo.bmp", "photo.tiff", "photo.webp"};
#else
const std::vector<const char*> kOtherPictures;
#endif

std::vector<const char*> with_others(std::vector<const char*> names) {
  names.insert(names.end(), kOtherPictures.begin(), kOtherPictures.end());
  return names;
}

std::optional<Reject> decode_text(const std::string& content, double min_scale, Picture& picture) {
  const auto info = probe(bytes_of(content), "a.jpg");
  if (!info) return info.reject();
  return decode(bytes_of(content), *info, min_scale, "a.jpg", picture);
}

Picture decoded(const std::string& content, double min_scale = 1) {
  Picture picture;
  const auto reject = decode_text(content, min_scale, picture);
  if (reject) FAIL(to_string(*reject));
  return picture;
}

// The picture with another orientation in its EXIF.
std::string oriented(const std::string& name, int orientation) {
  std::string content = golden("pictures/" + name);
  const std::string tag("\x01\x12\0\x03\0\0\0\x01\0", 9), swapped("\x12\x01\x03\0\x01\0\0\0", 8);
  const std::size_t big = content.find(tag), little = content.find(swapped);
  REQUIRE(std::min(big, little) != std::string::npos);
  content[big != std::string::npos ? big + 9 : little + 8] = static_cast<char>(orientation);
  return content;
}

TEST_CASE("pixels are Pillow's, for every format and kind of colour") {
  for (const char* name :
       with_others({"photo.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "cmyk_plain.jpg",
                    "ycck.jpg", "rgb.png", "rgba.png", "palette.png", "bilevel.png"})) {
    CAPTURE(name);
    const Picture picture = decoded(golden(std::string("pictures/") + name));
    CHECK(picture.width == 48);
    CHECK(picture.height == 32);
    CHECK(picture.scale_eighths == 8);
    const std::string wanted = golden(std::string("pictures/") + name + ".rgb");
    CHECK(difference(picture.rgb, bytes_of(wanted)).largest <= 1);
  }
}

TEST_CASE("all eight orientations are turned as Pillow turns them") {
  const std::string expected = golden("pictures/exif.jpg.rgb");
  for (int orientation = 1; orientation <= 8; ++orientation) {
    CAPTURE(orientation);
    const std::string content = oriented("exif.jpg", orientation);
    const auto info = probe(bytes_of(content), "exif.jpg");
    REQUIRE(info);
    CHECK(info->orientation == orientation);
    CHECK(info->width == (orientation < 5 ? 25 : 18));
    CHECK(info->height == (orientation < 5 ? 18 : 25));
    const Picture picture = decoded(content);
    CHECK(picture.width == info->width);
    constexpr std::size_t kBytes = 25 * 18 * 3;
    const std::string wanted =
        expected.substr(kBytes * static_cast<std::size_t>(orientation - 1), kBytes);
    CHECK(difference(picture.rgb, bytes_of(wanted)).largest <= 1);
    CHECK(picture.offset_x == 0);
    CHECK(picture.offset_y == 0);
  }
}

std::vector<const char*> turned_names() {
#ifdef LETTERPRESS_IMGCODECS
  return {"exif.png", "exif.tiff", "exif.webp"};
#else
  return {"exif.png"};
#endif
}

TEST_CASE("PNG, TIFF and WebP are turned as Pillow turns them") {
  const std::string expected = golden("pictures/exif_lossless.rgb");
  constexpr std::size_t kBytes = std::size_t{3} * 25 * 18;
  for (const char* name : turned_names()) {
    CAPTURE(name);
    for (int orientation = 1; orientation <= 8; ++orientation) {
      CAPTURE(orientation);
      const Picture picture = decoded(oriented(name, orientation));
      CHECK(picture.width == (orientation < 5 ? 25 : 18));
      CHECK(picture.height == (orientation < 5 ? 18 : 25));
      const std::string wanted =
          expected.substr(kBytes * static_cast<std::size_t>(orientation - 1), kBytes);
      CHECK(difference(picture.rgb, bytes_of(wanted)).largest == 0);
    }
  }
}

TEST_CASE("a JPEG is decoded at the next larger of 1/8, 1/4, 1/2 and 1, others at full size") {
  struct Case {
    double scale;
    int eighths, width, height;
  };
  for (const Case& c : {Case{1, 8, 48, 32}, Case{0.9, 8, 48, 32}, Case{0.5, 4, 24, 16},
                        Case{0.51, 8, 48, 32}, Case{0.2, 2, 12, 8}, Case{0.01, 1, 6, 4}}) {
    CAPTURE(c.scale);
    const Picture picture = decoded(golden("pictures/photo.jpg"), c.scale);
    CHECK(picture.scale_eighths == c.eighths);
    CHECK(picture.width == c.width);
    CHECK(picture.height == c.height);
  }
  CHECK(decoded(golden("pictures/rgb.png"), 0.1).width == 48);
  const std::string half = golden("pictures/photo_half.jpg.rgb");
  CHECK(difference(decoded(golden("pictures/photo.jpg"), 0.5).rgb, bytes_of(half)).largest <= 1);
}

TEST_CASE("offsets give the part of a pixel that rounding up adds, if an EXIF turn puts it first") {
  // 25 x 18 at 2/8 is 6.25 x 4.5, rounded up to 7 x 5: 0.75 and 0.5 too much, at the stored right
  // and bottom.
  struct Case {
    int orientation;
    double x, y;
  };
  for (const Case& c : {Case{1, 0, 0}, Case{2, 0.75, 0}, Case{3, 0.75, 0.5}, Case{4, 0, 0.5},
                        Case{5, 0, 0}, Case{6, 0.5, 0}, Case{7, 0.5, 0.75}, Case{8, 0, 0.75}}) {
    CAPTURE(c.orientation);
    const Picture picture = decoded(oriented("exif.jpg", c.orientation), 0.2);
    CHECK(picture.scale_eighths == 2);
    CHECK(picture.offset_x == doctest::Approx(c.x));
    CHECK(picture.offset_y == doctest::Approx(c.y));
  }
}

// Written by libjpeg-turbo's cjpeg -sample, which TurboJPEG has no name for.
TEST_CASE("JPEGs of unusual chroma sampling have Pillow's pixels, and cut ones are rejected") {
  for (const char* sampling : {"3x1", "4x2", "2x1_1x2", "1x1_2x1"}) {
    CAPTURE(sampling);
    const std::string name = "pictures/sampled_" + std::string(sampling) + ".jpg";
    const std::string bytes = golden(name), wanted = golden(name + ".rgb");
    const auto info = probe(bytes_of(bytes), name, {});
    REQUIRE(info);
    Picture picture;
    CHECK_FALSE(decode(bytes_of(bytes), *info, 1, name, picture));
    CHECK(std::string(picture.rgb.begin(), picture.rgb.end()) == wanted);
    CHECK_FALSE(decode(bytes_of(bytes), *info, 0.5, name, picture));
    CHECK(std::pair(picture.width, picture.height) == std::pair(24, 16));
    for (std::size_t n = bytes.size() - 2; n > bytes.size() / 2; n -= 7) {
      const std::string cut = bytes.substr(0, n);
      CHECK(decode(bytes_of(cut), *info, 1, name, picture));
    }
  }
}

TEST_CASE("a JPEG cut at any of 200 places is a reject, baseline or progressive, at any scale") {
  for (const char* name :
       {"photo.jpg", "progressive.jpg", "cmyk.jpg", "cmyk_plain.jpg", "ycck.jpg"}) {
    const std::string whole = golden(std::string("pictures/") + name);
    for (std::size_t i = 0; i < 200; ++i) {
      const std::size_t n = whole.size() * i / 200;
      CAPTURE(name);
      CAPTURE(n);
      Picture picture;
      CHECK(decode_text(whole.substr(0, n), i % 2 ? 1 : 0.3, picture));
    }
  }
}

TEST_CASE("every other format cut in its middle is a reject") {
  for (const char* name : with_others({"rgb.png", "rgba.png", "palette.png"})) {
    CAPTURE(name);
    const std::string whole = golden(std::string("pictures/") + name);
    Picture picture;
    CHECK(decode_text(whole.substr(0, whole.size() / 2), 1, picture));
  }
}

TEST_CASE("the decoder's reject has the picture, its reason and what to do") {
  const std::string whole = golden("pictures/photo.jpg");
  Picture picture;
  const auto reject = decode_text(whole.substr(0, whole.size() - 30), 1, picture);
  REQUIRE(reject);
  CHECK(reject->where == "a.jpg");
  CHECK(reject->what.substr(0, 19) == "cannot be decoded: ");
  CHECK(reject->what.find("Premature end of JPEG file") != std::string::npos);
  CHECK(reject->fix == "copy the file again, or remove it");
  CHECK(reject->scope == Reject::Scope::picture);
}

TEST_CASE("the decoder works after a reject") {
  Picture picture;
  const std::string whole = golden("pictures/photo.jpg");
  REQUIRE(decode_text(whole.substr(0, whole.size() / 2), 1, picture));
  REQUIRE_FALSE(decode_text(whole, 1, picture));
  const std::string wanted = golden("pictures/photo.jpg.rgb");
  CHECK(difference(picture.rgb, bytes_of(wanted)).largest <= 1);
}

TEST_CASE("four threads decode the same bytes as one") {
  const std::string photo = golden("pictures/photo.jpg"), turned = oriented("exif.jpg", 7);
  const Picture first = decoded(photo), second = decoded(turned);
  std::vector<std::thread> threads;
  std::array<bool, 4> equal{};
  for (std::size_t t = 0; t < equal.size(); ++t) {
    threads.emplace_back([&, t] {
      bool same = true;
      Picture picture;
      for (int i = 0; i < 50; ++i) {
        same = same && !decode_text(photo, 1, picture) && picture.rgb == first.rgb;
        same = same && !decode_text(turned, 1, picture) && picture.rgb == second.rgb;
      }
      equal[t] = same;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool same : equal) CHECK(same);
}

TEST_CASE("the memory that a thread keeps between pictures is bounded") {
  std::vector<std::uint8_t> usual(std::size_t{60} << 20), huge(std::size_t{70} << 20);
  std::vector<std::byte> file(std::size_t{70} << 20);
  Picture picture, small;
  picture.rgb.resize(std::size_t{40} << 20);
  picture.planes.luma.resize(std::size_t{30} << 20);
  small.rgb.resize(std::size_t{40} << 20);
  free_if_huge(usual);
  free_if_huge(huge);
  free_if_huge(file);
  free_if_huge(picture);
  free_if_huge(small);
  CHECK(usual.capacity() == std::size_t{60} << 20);
  CHECK(huge.capacity() == 0);
  CHECK(file.capacity() == 0);
  CHECK(picture.rgb.capacity() == 0);
  CHECK(picture.planes.luma.capacity() == 0);
  CHECK(small.rgb.size() == std::size_t{40} << 20);
}

TEST_CASE("decode reads the pixels that encode_png wrote, to the byte") {
  std::vector<std::uint8_t> rgb(31 * 17 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<std::uint8_t>(i * 37 + i / 7);
  for (const PngEffort effort : {PngEffort::small, PngEffort::fast}) {
    const std::vector<std::byte> png = encode_png(rgb, 31, 17, effort);
    const auto info = probe(png, "drawn.png");
    REQUIRE(info);
    CHECK(info->width == 31);
    CHECK(info->height == 17);
    Picture picture;
    REQUIRE_FALSE(decode(png, *info, 1, "drawn.png", picture));
    CHECK(picture.rgb == rgb);
  }
  CHECK_THROWS_WITH_AS(encode_png(rgb, 30, 17), "encode_png: 1581 bytes are not 30 x 17 x 3",
                       std::logic_error);
}

}  // namespace
TEST_CASE("a JPEG without its end marker is rejected: nothing tells it from one that was cut") {
  std::string content = golden("pictures/photo.jpg");
  REQUIRE(content.ends_with("\xFF\xD9"));
  content.resize(content.size() - 2);
  Picture picture;
  const auto reject = decode_text(content, 1, picture);
  REQUIRE(reject);
  CHECK(to_string(*reject).find("a.jpg: cannot be decoded: ") == 0);
  CHECK(reject->fix == "copy the file again, or remove it");
}

}  // namespace letterpress
