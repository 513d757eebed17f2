#include <doctest/doctest.h>
#include <turbojpeg.h>

#include <fstream>
#include <memory>

#include "tests/preprocess/pictures/banded_lines.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

std::string drawn_jpeg(int width, int height, int subsampling = TJSAMP_420) {
  const std::vector<std::uint8_t> rgb = drawn_rgb(width, height);
  const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  REQUIRE(tjCompress2(handle.get(), rgb.data(), width, 0, height, TJPF_RGB, &bytes, &size,
                      subsampling, 92, TJFLAG_ACCURATEDCT) == 0);
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  return text;
}

TEST_CASE("the lines of a picture in bands are those of the whole picture") {
  std::vector<Case> cases;
  for (const char* name :
       {"photo.jpg", "grey.jpg", "rgb.png", "rgba.png", "palette.png", "bilevel.png"})
    cases.push_back({name, golden(std::string("pictures/") + name)});
  for (const double scale : {1.0, 0.5, 0.25, 0.125})
    cases.push_back({"drawn", drawn_jpeg(333, 257), scale});
  for (const int subsampling : {TJSAMP_422, TJSAMP_444, TJSAMP_440, TJSAMP_GRAY})
    cases.push_back({"sampled", drawn_jpeg(333, 257, subsampling)});
  cases.push_back({"deep", golden("pictures/deep_rgb.png"), 1, Depth::bits16});
  const TempDir dir;
  for (const Case& of : cases) {
    CAPTURE(of.name);
    CAPTURE(of.min_scale);
    check_bands(of, bytes_of(of.content));
    std::ofstream(dir / "a", std::ios::binary) << of.content;
    PictureFile file(File::open_to_read(dir / "a"));
    check_bands(of, PictureBytes(file));
  }
}

TEST_CASE("lines that are not needed are passed over, and lines behind the end are not there") {
  const std::string content = drawn_jpeg(333, 257);
  const auto info = probe(bytes_of(content), "a");
  const Picture whole = decoded(content, 1, Depth::unset);
  const OpenedBands opened = open_bands(bytes_of(content), *info, 1, "a");
  REQUIRE(opened.picture);
  const Picture& band = opened.picture->picture();
  const auto line = [&](std::int32_t y) { return whole.rgb.begin() + std::ptrdiff_t{3} * 333 * y; };
  opened.picture->expect(50);
  const auto* const memory = band.rgb.data();
  REQUIRE_FALSE(opened.picture->keep(100, 150));
  CHECK(std::equal(band.rgb.begin(), band.rgb.end(), line(100), line(150)));
  REQUIRE_FALSE(opened.picture->keep(140, 120));
  CHECK(std::equal(band.rgb.begin(), band.rgb.end(), line(140), line(150)));
  REQUIRE_FALSE(opened.picture->keep(250, 1000));
  CHECK(std::equal(band.rgb.begin(), band.rgb.end(), line(250), line(257)));
  CHECK(band.rgb.data() == memory);
  CHECK_FALSE(opened.picture->finish());
}

// PNG 1.2, appendix: of a chunk's name and content.
std::uint32_t png_checksum(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
  }
  return ~sum;
}

TEST_CASE("what has to be decoded whole is named") {
  std::string interlaced = golden("pictures/rgb.png");
  interlaced[28] = 1;
  const std::uint32_t sum = png_checksum(std::string_view(interlaced).substr(12, 17));
  for (std::size_t i = 0; i < 4; ++i)
    interlaced[29 + i] = static_cast<char>(sum >> (24 - 8 * i) & 0xFF);
  const auto why = [](const std::string& content, Depth depth = Depth::unset) {
    const auto info = probe(bytes_of(content), "a", {.depth = depth});
    REQUIRE(info);
    const OpenedBands opened = open_bands(bytes_of(content), *info, 1, "a");
    CHECK_FALSE(opened.picture);
    return opened.why_whole;
  };
  CHECK(why(golden("pictures/progressive.jpg")) == "progressive JPEG");
  CHECK(why(golden("pictures/cmyk.jpg")) == "JPEG in CMYK");
  CHECK(why(interlaced) == "interlaced PNG");
  CHECK(why(golden("pictures/deep_rgb.png"), Depth::minmax) == "PNG with --depth minmax");
#ifdef LETTERPRESS_IMGCODECS
  CHECK(why(golden("pictures/photo.bmp")) == "BMP or WebP");
#endif
  const std::string jpeg = golden("pictures/photo.jpg");
  auto info = probe(bytes_of(jpeg), "a");
  info->orientation = 6;
  CHECK(open_bands(bytes_of(jpeg), *info, 1, "a").why_whole == "picture that EXIF turns");
}

TEST_CASE("a damaged picture is the reject that it is as a whole, when its lines are met") {
  const std::string jpeg = drawn_jpeg(333, 257), png = golden("pictures/rgb.png");
  std::string flipped = png;
  flipped[png.size() - 20] = static_cast<char>(flipped[png.size() - 20] ^ 0x55);
  for (const std::string& content :
       {jpeg.substr(0, jpeg.size() / 2), jpeg.substr(0, jpeg.size() - 2),
        png.substr(0, png.size() / 2), flipped}) {
    CAPTURE(content.size());
    const auto info = probe(bytes_of(content), "a");
    REQUIRE(info);
    Picture whole;
    const auto wanted = decode(bytes_of(content), *info, 1, "a", whole);
    REQUIRE(wanted);
    const OpenedBands opened = open_bands(bytes_of(content), *info, 1, "a");
    if (!opened.picture) {  // damaged so early that it cannot be opened
      CHECK(opened.why_whole == "");
      CHECK(content.starts_with("\x89PNG"));
      continue;
    }
    const auto found = opened.picture->finish();
    REQUIRE(found);
    CHECK(to_string(*found) == to_string(*wanted));
  }
}

// Of a JPEG that is kept where it ends early: "" and its pixels, or the reject.
struct Kept {
  bool truncated = false;
  std::string problem{};
  std::vector<std::uint8_t> rgb{};
};

Kept kept_whole(const std::string& content, double min_scale) {
  const auto info = probe(bytes_of(content), "a", {.truncated = Truncated::keep});
  REQUIRE(info);
  Picture picture;
  const auto reject = decode(bytes_of(content), *info, min_scale, "a", picture);
  if (reject) return {info->truncated, to_string(*reject)};
  return {info->truncated, "", picture.rgb};
}

Kept kept_in_bands(const PictureBytes& bytes, double min_scale) {
  const auto info = probe(bytes, "a", {.truncated = Truncated::keep});
  REQUIRE(info);
  const OpenedBands opened = open_bands(bytes, *info, min_scale, "a");
  REQUIRE(opened.picture);
  auto reject = opened.picture->keep(0, opened.picture->picture().height);
  const std::vector<std::uint8_t> rgb = opened.picture->picture().rgb;
  if (!reject) reject = opened.picture->finish();
  if (reject) return {info->truncated, to_string(*reject)};
  return {info->truncated, "", rgb};
}

TEST_CASE("a JPEG that ends early and is kept is the same in bands, wherever it ends") {
  const std::string jpeg = drawn_jpeg(700, 500);
  constexpr std::size_t kWindow = std::size_t{64} << 10;  // bytes that are read at once
  REQUIRE(jpeg.size() > kWindow + 100);
  std::vector<std::string> cuts{jpeg, jpeg + "behind its end"};
  for (const std::size_t n : {jpeg.size() / 3, kWindow - 1, kWindow, kWindow + 1, jpeg.size() - 100,
                              jpeg.size() - 2, jpeg.size() - 1})
    cuts.push_back(jpeg.substr(0, n));
  std::string damaged = jpeg.substr(0, jpeg.size() * 9 / 10);
  damaged.replace(damaged.size() / 2, 2, "\xFF\xFE");  // a comment amid a scan
  cuts.push_back(damaged);
  const TempDir dir;
  for (const std::string& content : cuts) {
    CAPTURE(content.size());
    for (const double scale : {1.0, 0.5}) {
      const Kept whole = kept_whole(content, scale);
      if (content != damaged) CHECK(whole.truncated == (content.size() < jpeg.size()));
      CHECK(whole.problem.empty() == (content != damaged));
      std::ofstream(dir / "a", std::ios::binary) << content;
      PictureFile file(File::open_to_read(dir / "a"));
      for (const PictureBytes& bytes : {PictureBytes(bytes_of(content)), PictureBytes(file)}) {
        const Kept banded = kept_in_bands(bytes, scale);
        CHECK(banded.truncated == whole.truncated);
        CHECK(banded.problem == whole.problem);
        CHECK(banded.rgb == whole.rgb);
      }
    }
  }
}

TEST_CASE("a file that is cut while it is read is not a reject") {
  const TempDir dir;
  const std::string content = drawn_jpeg(1200, 900);
  std::ofstream(dir / "a.jpg", std::ios::binary) << content;
  REQUIRE(content.size() > 70'000);
  PictureFile file(File::open_to_read(dir / "a.jpg"));
  const PictureBytes bytes(file);
  const auto info = probe(bytes, "a.jpg");
  const OpenedBands opened = open_bands(bytes, *info, 1, "a.jpg");
  REQUIRE(opened.picture);
  std::filesystem::resize_file(dir / "a.jpg", 100);
  CHECK_THROWS_WITH_AS((void)opened.picture->finish(), doctest::Contains("a.jpg"),
                       UnreadablePicture);
}

}  // namespace
}  // namespace letterpress
