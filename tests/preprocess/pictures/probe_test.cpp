#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <set>

#include "letterpress/base/picture_extension.h"
#include "preprocess/pictures/headers.h"
#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

#ifdef LETTERPRESS_IMGCODECS
const std::vector<const char*> kOtherPictures{"photo.bmp", "photo.tiff", "photo.webp"};
const std::string kReadable = "must be JPEG, PNG, BMP, TIFF or WebP";
#else
const std::vector<const char*> kOtherPictures;
const std::string kReadable = "must be JPEG or PNG";
#endif

std::vector<const char*> with_others(std::vector<const char*> names) {
  names.insert(names.end(), kOtherPictures.begin(), kOtherPictures.end());
  return names;
}

std::string message(const std::string& content, const PictureLimits& limits = {}) {
  const auto info = probe(bytes_of(content), "a.jpg", limits);
  return info ? "accepted" : to_string(info.reject());
}

// PNG 1.2: signature and the IHDR chunk, with a checksum of 0, since probe() does not read it.
std::string png_header(std::uint32_t width, std::uint32_t height, int bit_depth, int colour_type) {
  std::string png("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16);
  for (const std::uint32_t size : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) png += static_cast<char>(size >> shift & 255);
  }
  png += static_cast<char>(bit_depth);
  png += static_cast<char>(colour_type);
  return png + std::string(7, '\0');
}

TEST_CASE("format, size and kind are read from the header of each picture that Pillow wrote") {
  struct Case {
    const char* name;
    PictureFormat format;
    bool grey, cmyk, alpha;
  };
  for (const Case& c : {Case{"photo.jpg", PictureFormat::jpeg, false, false, false},
                        Case{"progressive.jpg", PictureFormat::jpeg, false, false, false},
                        Case{"grey.jpg", PictureFormat::jpeg, true, false, false},
                        Case{"cmyk.jpg", PictureFormat::jpeg, false, true, false},
                        Case{"cmyk_plain.jpg", PictureFormat::jpeg, false, true, false},
                        Case{"ycck.jpg", PictureFormat::jpeg, false, true, false},
                        Case{"rgb.png", PictureFormat::png, false, false, false},
                        Case{"rgba.png", PictureFormat::png, false, false, true},
                        Case{"bilevel.png", PictureFormat::png, true, false, false},
                        Case{"palette.png", PictureFormat::png, false, false, false}}) {
    CAPTURE(c.name);
    const std::string content = golden(std::string("pictures/") + c.name);
    const auto info = probe(bytes_of(content), c.name);
    REQUIRE(info);
    CHECK(info->format == c.format);
    CHECK(info->width == 48);
    CHECK(info->height == 32);
    CHECK(info->grey == c.grey);
    CHECK(info->cmyk == c.cmyk);
    CHECK(info->alpha == c.alpha);
    CHECK(info->orientation == 1);
  }
}

TEST_CASE("inks are inverted if a whole Adobe marker comes before the first scan") {
  const auto inverted = [](const std::string& content) {
    const auto info = probe(bytes_of(content), "a.jpg");
    REQUIRE(info);
    CHECK(info->cmyk);
    return info->inverted_inks;
  };
  const std::string adobe = golden("pictures/cmyk.jpg"), plain = golden("pictures/cmyk_plain.jpg");
  CHECK(inverted(adobe));
  CHECK(inverted(golden("pictures/ycck.jpg")));
  CHECK_FALSE(inverted(plain));
  // After the start of the file: another program's APP14, and one that is too short to be Adobe's.
  const std::string start = plain.substr(0, 2), rest = plain.substr(2);
  CHECK_FALSE(inverted(start +
                       std::string("\xFF\xEE\0\x0E"
                                   "Other\0\0\0\0\0\0\0",
                                   16) +
                       rest));
  CHECK_FALSE(inverted(start +
                       std::string("\xFF\xEE\0\x0D"
                                   "Adobe\0\0\0\0\0\0",
                                   15) +
                       rest));
  CHECK(inverted(start +
                 std::string("\xFF\xEE\0\x0E"
                             "Adobe\0\0\0\0\0\0\0",
                             16) +
                 rest));
  CHECK_FALSE(inverted(plain + "\xFF\xEE"));
}

TEST_CASE(
    "BMP, TIFF and WebP are read if OpenCV is built in, else rejected with how to build it in") {
  for (const char* name : {"photo.bmp", "photo.tiff", "photo.webp"}) {
    CAPTURE(name);
    const std::string content = golden(std::string("pictures/") + name);
    const auto info = probe(bytes_of(content), name);
#ifdef LETTERPRESS_IMGCODECS
    REQUIRE(info);
    CHECK(info->format == PictureFormat::other);
    CHECK(info->width == 48);
    CHECK(info->height == 32);
    CHECK_FALSE(info->alpha);
#else
    REQUIRE_FALSE(info);
    CHECK(info.reject().what.find(" cannot be read by this build, must be JPEG or PNG") !=
          std::string::npos);
    CHECK(info.reject().fix == "convert it, or build with -DLETTERPRESS_IMGCODECS=ON");
#endif
  }
}

TEST_CASE(
    "every picture extension is of a format that the decoder knows, and every format has an "
    "extension") {
  const std::map<std::string_view, const char*> samples{{"JPEG", "photo.jpg"},
                                                        {"PNG", "rgb.png"},
                                                        {"BMP", "photo.bmp"},
                                                        {"TIFF", "photo.tiff"},
                                                        {"WebP", "photo.webp"}};
  std::set<std::string_view> formats;
  for (const PictureExtension& entry : picture_extensions()) {
    CAPTURE(entry.extension);
    formats.insert(entry.format);
    REQUIRE(samples.contains(entry.format));
    const std::string content = golden(std::string("pictures/") + samples.at(entry.format));
    const auto info = probe(bytes_of(content), "a");
    const bool known = info || info.reject().what.starts_with(std::string(entry.format) +
                                                              " cannot be read by this build");
    CHECK(known);
  }
  CHECK(formats.size() == samples.size());
}

TEST_CASE("a file far larger than its pixels could be is refused, to the byte") {
  constexpr std::size_t kMost = (std::size_t{64} << 20) + 16 * 400 * 300;
  std::string content = png_header(400, 300, 8, 2);
  content.resize(kMost);
  CHECK(message(content) == "accepted");
  content += '\0';
  CHECK(message(content) ==
        "a.jpg: file of 65.8 MiB for 400 x 300 pixels, must be at most 65.8 MiB; copy the file "
        "again, or save it anew");
}

TEST_CASE("a picture of a format that is not read is called by its name") {
  const std::string size("\0\0\0\x1C", 4);
  for (const auto& [content, name] : std::vector<std::pair<std::string, std::string>>{
           {"GIF89a and so on", "is a GIF, must be "},
           {size + "ftypavif....", "is an AVIF, must be "},
           {size + "ftypheic....", "is a HEIC, must be "},
           {size + "ftypmif1....", "is a HEIF, must be "},
           {size + "ftypheim....", "is a HEIC, must be "},
           {std::string("\0\0\0\x0CjP  \r\n\x87\n", 12), "is a JPEG 2000, must be "},
           {"\xFF\x4F\xFF\x51....", "is a JPEG 2000, must be "},
           {"P6\n4 4\n255\n", "is a PNM, must be "},
           {"8BPS and so on", "is a PSD, must be "},
           {"%PDF-1.7", "is a PDF, must be "}}) {
    CAPTURE(name);
    const auto info = probe(std::as_bytes(std::span(content)), "a");
    REQUIRE_FALSE(info);
    CHECK(info.reject().what.starts_with(name));
    CHECK(info.reject().fix == "convert or remove it");
  }
}

TEST_CASE("an empty file, a text and unknown bytes are rejected with their first bytes") {
  CHECK(message("") == "a.jpg: empty file (0 bytes); copy the file again, or remove it");
  CHECK(message("hello, world\nmore") ==
        "a.jpg: is not a picture: begins with the text 'hello, world', " + kReadable +
            "; convert or remove it");
  CHECK(message("<!DOCTYPE html><html>") ==
        "a.jpg: is not a picture: begins with the text '<!DOCTYPE html><', " + kReadable +
            "; convert or remove it");
  CHECK(message(std::string("\0\1\xFFzzz", 6)) ==
        "a.jpg: is not a picture: begins with the bytes 00 01 ff 7a 7a 7a, " + kReadable +
            "; convert or remove it");
}

// As git stores it: github.com/git-lfs/git-lfs, docs/spec.md
TEST_CASE("a pointer of Git LFS in a picture's place is told, with the command that fetches it") {
  CHECK(
      message("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d"
              "22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n") ==
      "a.jpg: is a pointer of Git LFS, not the file itself; fetch it by `git lfs pull`");
}

TEST_CASE("more pixels than the limit are rejected by the header alone") {
  CHECK(message(png_header(65535, 65535, 8, 2)) ==
        "a.jpg: 65535 x 65535 is more than 100000000 pixels; raise --max-pixels, or scale the "
        "picture down");
  CHECK(message(png_header(4294967295u, 4294967295u, 8, 2)) ==
        "a.jpg: 4294967295 x 4294967295 is more than 100000000 pixels; raise --max-pixels, or "
        "scale the picture down");
  CHECK(message(png_header(10, 10, 8, 2), {.max_pixels = 100}) == "accepted");
  CHECK(message(png_header(10, 11, 8, 2), {.max_pixels = 100})
            .find("10 x 11 is more than 100 pixels") != std::string::npos);
}

TEST_CASE("JPEGs of 12 bits, lossless and hierarchical ones are told apart, with what to do") {
  // ITU T.81: SOI, then a frame header of 96 x 128 with one component.
  const auto jpeg = [](char process, char bits) {
    return std::string("\xFF\xD8\xFF") + process + std::string("\0\x0B", 2) + bits +
           std::string("\0\x60\0\x80\1\1\x11\0", 8);
  };
  CHECK(message(jpeg('\xC1', 8)) == "accepted");
  CHECK(message(jpeg('\xCA', 8)) == "accepted");
  for (const Depth depth : {Depth::unset, Depth::minmax}) {
    CHECK(message(jpeg('\xC1', 12), {.depth = depth}) ==
          "a.jpg: is a JPEG with 12 bits per channel, which is not read; convert it to a PNG of 16 "
          "bits, and say with --depth which levels matter");
  }
  CHECK(message(jpeg('\xC3', 8)) ==
        "a.jpg: is a lossless JPEG, which is not read; convert it to PNG");
  CHECK(message(jpeg('\xC5', 8)) ==
        "a.jpg: is a hierarchical JPEG, which is not read; convert it to PNG");
}

TEST_CASE("16 bits per channel are rejected unless a depth says which levels matter") {
  CHECK(
      message(golden("pictures/deep.png")) ==
      "a.jpg: PNG with 16 bits per channel, must be 8; say with --depth 8, 12, 16 or minmax which "
      "of its levels matter");
  CHECK(message(golden("pictures/deep.png"), {.depth = Depth::bits12}) == "accepted");
}

TEST_CASE("a header cut at any byte is a reject or gives the right size, never another") {
  for (const char* name : with_others({"photo.jpg", "exif.jpg", "rgb.png", "exif.png"})) {
    const std::string whole = golden(std::string("pictures/") + name);
    const auto ground_truth = probe(bytes_of(whole), name);
    REQUIRE(ground_truth);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      CAPTURE(name);
      CAPTURE(n);
      const std::string cut = whole.substr(0, n);
      const auto info = probe(bytes_of(cut), name);
      if (!info) continue;
      CHECK(info->width * info->height == ground_truth->width * ground_truth->height);
    }
  }
  CHECK(message(golden("pictures/photo.jpg").substr(0, 40)) ==
        "a.jpg: JPEG header cut or damaged: no frame size within its 40 bytes; copy the file "
        "again, or remove it");
  CHECK(message(golden("pictures/rgb.png").substr(0, 20)) ==
        "a.jpg: PNG header cut after 20 bytes; copy the file again, or remove it");
#ifdef LETTERPRESS_IMGCODECS
  CHECK(message(golden("pictures/photo.webp").substr(0, 20)) ==
        "a.jpg: WebP header cut or damaged within its 20 bytes; copy the file again, or remove it");
#endif
}

TEST_CASE("headers with any one byte changed are read without leaving their bytes") {
  for (const char* name : with_others({"exif.jpg", "exif.png"})) {
    const std::string whole = golden(std::string("pictures/") + name);
    int accepted = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(whole.size(), 400); ++i) {
      for (const int value : {0x00, 0x7F, 0xFF}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(value);
        const auto info = probe(bytes_of(changed), name);
        if (!info) continue;
        ++accepted;
        CHECK(info->orientation >= 1);
        CHECK(info->orientation <= 8);
        CHECK(static_cast<std::int64_t>(info->width) * info->height <= 100'000'000);
      }
    }
    CHECK(accepted > 0);
  }
}

}  // namespace
}  // namespace letterpress
