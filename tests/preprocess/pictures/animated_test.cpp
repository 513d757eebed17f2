// Animated WebPs, made by hand of the still one's picture by RFC 9649.
#include <doctest/doctest.h>

#include <string>

#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

std::string number(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

std::string chunk(const std::string& name, const std::string& content) {
  return name + number(content.size(), 4) + content + std::string(content.size() % 2, '\0');
}

constexpr std::size_t kWidth = 48, kHeight = 32;  // of the golden picture

// Two frames: `first` at x, y and of the size given, then the golden picture.
std::string animation(const std::string& first, std::size_t x, std::size_t width) {
  const auto frame = [](const std::string& picture, std::size_t left, std::size_t across) {
    return chunk("ANMF", number(left / 2, 3) + number(0, 3) + number(across - 1, 3) +
                             number(kHeight - 1, 3) + number(100, 3) + number(0, 1) + picture);
  };
  const std::string golden_picture = golden("pictures/photo.webp").substr(12);
  const std::string chunks = "WEBP" +
                             chunk("VP8X", number(0x02, 1) + number(0, 3) + number(kWidth - 1, 3) +
                                               number(kHeight - 1, 3)) +
                             chunk("ANIM", number(0, 4) + number(0, 2)) + frame(first, x, width) +
                             frame(golden_picture, 0, kWidth);
  return "RIFF" + number(chunks.size(), 4) + chunks;
}

}  // namespace

// acTL: Third Edition of the PNG Specification, 11.3.6.
TEST_CASE("the first picture of an animated PNG is read, and it is told that there are more") {
  const std::string still = golden("pictures/rgb.png");
  const std::string control(
      "\0\0\0\x08"
      "acTL\0\0\0\2\0\0\0\0\xF3\x8D\x93\x70",
      20);
  const std::string animated = still.substr(0, 33) + control + still.substr(33);
  const auto info = probe(bytes_of(animated), "a.png", {}),
             plain = probe(bytes_of(still), "b.png", {});
  REQUIRE(info);
  REQUIRE(plain);
  CHECK(info->several);
  CHECK_FALSE(plain->several);
  Picture picture;
  CHECK_FALSE(decode(bytes_of(animated), *info, 1, "a.png", picture));
  CHECK(std::string(picture.rgb.begin(), picture.rgb.end()) == golden("pictures/rgb.png.rgb"));
}

#ifdef LETTERPRESS_IMGCODECS
TEST_CASE("the first frame of an animated WebP is read, and it is told that there are more") {
  const std::string still = golden("pictures/photo.webp").substr(12);
  const std::string whole = animation(still, 0, kWidth);
  const auto info = probe(bytes_of(whole), "a.webp", {});
  REQUIRE(info);
  CHECK(info->several);
  CHECK(info->width == kWidth);
  CHECK(info->height == kHeight);
  Picture picture;
  CHECK_FALSE(decode(bytes_of(whole), *info, 1, "a.webp", picture));
  const std::string wanted = golden("pictures/photo.webp.rgb");
  CHECK(std::string(picture.rgb.begin(), picture.rgb.end()) == wanted);
  const auto plain = probe(bytes_of(golden("pictures/photo.webp")), "b.webp", {});
  REQUIRE(plain);
  CHECK_FALSE(plain->several);
}

TEST_CASE("an animated WebP whose first frame is cut off or covers a part is rejected") {
  const std::string still = golden("pictures/photo.webp").substr(12);
  const std::string whole = animation(still, 0, kWidth);
  constexpr std::size_t kFirstFrame = 12 + 18 + 14;
  for (const std::string& content :
       {animation(still, 2, kWidth - 2), animation(still, 0, kWidth - 2), animation("", 0, kWidth),
        whole.substr(0, kFirstFrame), whole.substr(0, kFirstFrame + 60)}) {
    const auto info = probe(bytes_of(content), "a.webp", {});
    REQUIRE_FALSE(info);
    CHECK(to_string(info.reject()) ==
          "a.webp: is an animated WebP whose first picture does not fill it or is damaged; save "
          "the picture that is meant: webpmux -get frame 1 IN.webp -o OUT.webp");
  }
}
#endif

}  // namespace letterpress
