// JPEGs that end early, when they are to be kept.
#include <doctest/doctest.h>

#include "preprocess/pictures/picture.h"
#include "tests/contains.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

constexpr PictureLimits kKeep{.truncated = Truncated::keep};

std::string cut(const std::string& name) {
  const std::string whole = golden("pictures/" + name);
  return whole.substr(0, whole.size() * 9 / 10);
}

// "" when the picture is decoded.
std::string problem(const std::string& content, const PictureLimits& limits, Picture& picture) {
  const auto info = probe(bytes_of(content), "a.jpg", limits);
  if (!info) return to_string(info.reject());
  const auto reject = decode(bytes_of(content), *info, 1, "a.jpg", picture);
  return reject ? to_string(*reject) : "";
}

bool is_truncated(const std::string& content, const PictureLimits& limits) {
  return probe(bytes_of(content), "a.jpg", limits)->truncated;
}

}  // namespace

TEST_CASE("what a JPEG lacks that ends early is as Pillow fills it, each time") {
  const std::string wanted = golden("pictures/truncated.rgb");
  constexpr std::size_t kBytes = std::size_t{48} * 32 * 3;
  std::size_t at = 0;
  for (const char* name : {"photo.jpg", "grey.jpg"}) {
    CAPTURE(name);
    Picture picture, again;
    REQUIRE(problem(cut(name), kKeep, picture) == "");
    CHECK(difference(picture.rgb, bytes_of(wanted).subspan(kBytes * at++, kBytes)).largest <= 1);
    REQUIRE(problem(cut(name), kKeep, again) == "");
    CHECK(picture.rgb == again.rgb);
    CHECK_CONTAINS(problem(cut(name), {}, picture),
                   "cannot be decoded: Premature end of JPEG file");
  }
}

TEST_CASE("wherever a JPEG ends, it is kept or rejected, and the next one is decoded as ever") {
  for (const char* name : {"photo.jpg", "progressive.jpg", "cmyk.jpg", "exif.jpg"}) {
    const std::string whole = golden(std::string("pictures/") + name);
    Picture sound;
    REQUIRE(problem(whole, {}, sound) == "");
    int kept = 0;
    for (std::size_t n = 0; n < whole.size(); ++n) {
      CAPTURE(name);
      CAPTURE(n);
      Picture picture, next;
      const std::string cut_off = whole.substr(0, n);
      const std::string reason = problem(cut_off, kKeep, picture);
      if (reason.empty()) {
        ++kept;
        CHECK(is_truncated(cut_off, kKeep));
        CHECK(picture.rgb.size() == sound.rgb.size());
        Picture again;
        CHECK(problem(cut_off, kKeep, again) == "");
        CHECK(again.rgb == picture.rgb);
      }
      REQUIRE(problem(whole, {}, next) == "");
      CHECK(next.rgb == sound.rgb);
    }
    CHECK(kept > 200);
    Picture without_end;
    REQUIRE(problem(whole.substr(0, whole.size() - 2), kKeep, without_end) == "");
    CHECK(without_end.rgb == sound.rgb);
  }
}

TEST_CASE("a JPEG that ends, with or without bytes behind its end, is not truncated") {
  const std::string whole = golden("pictures/exif.jpg");
  CHECK_FALSE(is_truncated(whole, kKeep));
  CHECK_FALSE(is_truncated(whole + std::string(100, '\0'), kKeep));
  // A thumbnail's end within a segment is not the picture's.
  const std::string thumbnail("\xFF\xED\0\x06\xFF\xD9\xFF\xD9", 8);
  const std::string with_thumbnail = whole.substr(0, 2) + thumbnail + whole.substr(2);
  CHECK_FALSE(is_truncated(with_thumbnail, kKeep));
  CHECK(is_truncated(with_thumbnail.substr(0, with_thumbnail.size() - 2), kKeep));
  CHECK_FALSE(is_truncated(whole.substr(0, whole.size() - 2), {}));
  CHECK_FALSE(is_truncated(golden("pictures/rgb.png"), kKeep));
}

TEST_CASE("a JPEG that is damaged before its end is rejected, kept or not") {
  std::string damaged = cut("photo.jpg");
  damaged.replace(damaged.size() - 60, 2, "\xFF\xFE");  // a comment amid a scan
  Picture picture;
  const std::string strict = problem(damaged, {}, picture);
  REQUIRE(strict.find("Premature end") == std::string::npos);
  CHECK(problem(damaged, kKeep, picture) == strict);
}

}  // namespace letterpress
