#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/git_lfs.h"
#include "preprocess/pictures/byte_reader.h"
#include "preprocess/pictures/headers.h"

namespace letterpress {
namespace {

using Bytes = const PictureBytes&;

struct Signature {
  const char* name;
  PictureFormat format;
  bool (*matches)(Bytes);
  StoredHeader (*read)(Bytes);
};

bool starts_with(Bytes bytes, std::string_view text, std::size_t at = 0) {
  return ByteReader(bytes).starts_with(text, at);
}

constexpr Signature kSignatures[] = {
    {"JPEG", PictureFormat::jpeg, [](Bytes bytes) { return starts_with(bytes, "\xFF\xD8\xFF"); },
     read_jpeg_header},
    {"PNG", PictureFormat::png, [](Bytes bytes) { return starts_with(bytes, "\x89PNG\r\n\x1A\n"); },
     read_png_header},
    {"BMP", PictureFormat::other,
     [](Bytes bytes) { return starts_with(bytes, "BM") && bytes.size() > 6; }, read_bmp_header},
    {"TIFF", PictureFormat::other,
     [](Bytes bytes) {
       return starts_with(bytes, std::string_view("II*\0", 4)) ||
              starts_with(bytes, std::string_view("MM\0*", 4)) || is_big_tiff(bytes);
     },
     read_tiff_header},
    {"WebP", PictureFormat::other,
     [](Bytes bytes) { return starts_with(bytes, "RIFF") && starts_with(bytes, "WEBPVP8", 8); },
     read_webp_header},
    {"CIFAR-10 record", PictureFormat::cifar, is_cifar_record, read_cifar_header}};

#ifdef LETTERPRESS_IMGCODECS
constexpr bool kOtherFormats = true;
constexpr const char* kReadable = "must be JPEG, PNG, BMP, TIFF or WebP";
#else
constexpr bool kOtherFormats = false;
constexpr const char* kReadable = "must be JPEG or PNG";
#endif

constexpr std::size_t kShown = 16;

// Of at most kShown bytes: "the text 'hello, world'" or "the bytes 00 ff 13".
std::string looks_like(std::span<const std::byte> bytes) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool text =
      std::all_of(start.begin(), start.end(),
                  [](char c) { return (c >= 0x20 && c < 0x7F) || std::strchr("\t\r\n", c); }) &&
      start.find('\0') == start.npos;
  if (text) return "the text '" + std::string(start.substr(0, start.find_first_of("\r\n"))) + "'";
  std::string shown = "the bytes";
  for (const char c : start.substr(0, 8)) {
    shown += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  }
  return shown;
}

struct OtherFormat {
  const char* name;
  std::string_view text;
  std::size_t at = 0;
};
// Pictures and documents that are met among pictures. JPEG 2000: ISO/IEC 15444-1, annexes A and I;
// JPEG XL: 18181-2; HEIF's brands: ISO/IEC 23008-12; AVIF's: AV1
// Image File Format 1.1.
constexpr OtherFormat kOtherSignatures[] = {
    {"GIF", "GIF87a"},       {"GIF", "GIF89a"},        {"AVIF", "ftypavif", 4},
    {"AVIF", "ftypavis", 4}, {"HEIC", "ftypheic", 4},  {"HEIC", "ftypheix", 4},
    {"HEIC", "ftyphevc", 4}, {"HEIF", "ftypmif1", 4},  {"HEIF", "ftypmsf1", 4},
    {"HEIC", "ftypheim", 4}, {"HEIC", "ftypheis", 4},  {"HEIC", "ftyphevm", 4},
    {"PSD", "8BPS"},         {"PDF", "%PDF-"},         {"JPEG XL", "JXL ", 4},
    {"JPEG XL", "\xFF\x0A"}, {"JPEG 2000", "jP  ", 4}, {"JPEG 2000", "\xFF\x4F\xFF\x51"},
    {"PNM", "P5\n"},         {"PNM", "P6\n"},          {"PNM", "P2\n"},
    {"PNM", "P3\n"}};

// "is a GIF", or "is not a picture: begins with ...".
std::string what_it_is(Bytes bytes) {
  const auto* const known = std::ranges::find_if(kOtherSignatures, [&](const OtherFormat& format) {
    return starts_with(bytes, format.text, format.at);
  });
  if (known == std::end(kOtherSignatures))
    return "is not a picture: begins with " + looks_like(bytes.view(0, kShown));
  const bool vowel = std::string_view("A").find(known->name[0]) != std::string_view::npos;
  return std::string(vowel ? "is an " : "is a ") + known->name;
}

std::optional<Reject> why_not(const StoredHeader& header, const Signature& signature,
                              const std::string& where, const PictureLimits& limits) {
  if (!header.problem.empty())
    return Reject{where, header.problem, header.fix, Reject::Scope::picture};
  if (header.width > INT32_MAX || header.height > INT32_MAX ||
      header.width * header.height > limits.max_pixels)
    return Reject{where,
                  std::to_string(header.width) + " x " + std::to_string(header.height) +
                      " is more than " + std::to_string(limits.max_pixels) + " pixels",
                  "raise --max-pixels, or scale the picture down", Reject::Scope::picture};
  const bool narrowed = limits.depth != Depth::unset && header.bit_depth <= 16;
  if (header.bit_depth > 8 && !narrowed)
    return Reject{where,
                  signature.name + (" with " + std::to_string(header.bit_depth)) +
                      " bits per channel, must be 8",
                  header.bit_depth > 16
                      ? "convert it to 8 bits"
                      : "say with --depth 8, 12, 16 or minmax which of its levels matter",
                  Reject::Scope::picture};
  return std::nullopt;
}

// A file with far more than its pixels would be read whole all the same where these are wanted. One
// that holds several pictures may have it, and a TIFF, whose layers and previews are not counted.
std::optional<Reject> why_too_large(const StoredHeader& header, const Signature& signature,
                                    std::size_t size, const std::string& where) {
  constexpr std::size_t kBeside = std::size_t{64} << 20, kOfPixel = 16;  // four channels of floats
  const auto pixels =
      static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.height);
  const std::size_t most = kBeside + kOfPixel * pixels;
  if (header.several || signature.name == std::string_view("TIFF") || size <= most)
    return std::nullopt;
  return Reject{where,
                "file of " + bytes_text(static_cast<double>(size)) + " for " +
                    std::to_string(header.width) + " x " + std::to_string(header.height) +
                    " pixels, must be at most " + bytes_text(static_cast<double>(most)),
                "copy the file again, or save it anew", Reject::Scope::picture};
}

}  // namespace

Expected<PictureInfo> probe(const PictureBytes& bytes, const std::string& where,
                            const PictureLimits& limits) {
  if (bytes.empty())
    return Reject{where, "empty file (0 bytes)", "copy the file again, or remove it",
                  Reject::Scope::picture};
  if (starts_with(bytes, kGitLfsStart))
    return Reject{where, kIsGitLfsPointer, kFetchGitLfs, Reject::Scope::picture};
  const auto* const signature = std::find_if(std::begin(kSignatures), std::end(kSignatures),
                                             [&](const Signature& s) { return s.matches(bytes); });
  if (signature == std::end(kSignatures))
    return Reject{where, what_it_is(bytes) + ", " + kReadable, "convert or remove it",
                  Reject::Scope::picture};
  if (signature->format == PictureFormat::other && !kOtherFormats)
    return Reject{where,
                  std::string(signature->name) + " cannot be read by this build, " + kReadable,
                  "convert it, or build with -DLETTERPRESS_IMGCODECS=ON", Reject::Scope::picture};
  const StoredHeader header = signature->read(bytes);
  if (auto reject = why_not(header, *signature, where, limits)) return *reject;
  if (auto reject = why_too_large(header, *signature, bytes.size(), where)) return *reject;

  PictureInfo info{.format = signature->format,
                   .width = static_cast<std::int32_t>(header.width),
                   .height = static_cast<std::int32_t>(header.height),
                   .orientation = header.orientation,
                   .bit_depth = header.bit_depth,
                   .cmyk = header.cmyk,
                   .alpha = header.alpha,
                   .grey = header.grey,
                   .inverted_inks = header.adobe,
                   .white_is_zero = header.white_is_zero,
                   .several = header.several,
                   .depth = limits.depth,
                   .truncated = limits.truncated == Truncated::keep &&
                                signature->format == PictureFormat::jpeg && ends_early(bytes)};
  if (info.orientation >= 5) std::swap(info.width, info.height);
  return info;
}

}  // namespace letterpress
