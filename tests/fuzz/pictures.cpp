// Headers of pictures, and their decoding where the header is accepted.
#include "letterpress/base/reject.h"
#include "preprocess/pictures/headers.h"
#include "preprocess/pictures/picture.h"
#include "target.h"

namespace letterpress {
namespace {

constexpr PictureLimits kStrict{.max_pixels = 1'000'000};
constexpr PictureLimits kLimits{
    .max_pixels = 1'000'000, .depth = Depth::minmax, .truncated = Truncated::keep};

void check(const Reject& reject) {
  if (reject.what.empty() || reject.fix.empty()) broken_promise("a reject without what or fix");
}

void read_picture(std::span<const std::byte> bytes, const PictureLimits& limits) {
  const auto info = probe(bytes, "picture", limits);
  if (!info) return check(info.reject());
  if (std::int64_t{info->width} * info->height > kLimits.max_pixels || info->width < 1 ||
      info->height < 1)
    broken_promise("more pixels than the limit, or none");
  for (const double scale : {0.3, 1.0}) {
    Picture picture;
    if (const auto reject = decode(bytes, *info, scale, "picture", picture)) return check(*reject);
    if (picture.rgb.size() != std::size_t{3} * static_cast<std::size_t>(picture.width) *
                                  static_cast<std::size_t>(picture.height))
      broken_promise("a picture has other pixels than its size says");
  }
}

void read_picture(std::span<const std::byte> bytes) {
  read_picture(bytes, kLimits);
  read_picture(bytes, kStrict);
}

void read_exif(const std::filesystem::path&, std::span<const std::byte> bytes) {
  const std::int32_t orientation = exif_orientation(bytes);
  if (orientation < 1 || orientation > 8) broken_promise("an orientation that there is not");
  if (exif_orientation_offset(bytes) > bytes.size()) broken_promise("an offset behind the end");
}

// What the fuzzer gives is what follows these bytes, so that it stays with one format.
FuzzTarget picture(const char* name, std::string_view begin) {
  return {name, [begin](const std::filesystem::path&, std::span<const std::byte> bytes) {
            read_picture(behind(begin, bytes));
          }};
}

}  // namespace

std::vector<FuzzTarget> pictures_targets() {
  using namespace std::string_view_literals;
  return {picture("picture-any", ""),
          picture("picture-bmp", "BM"),
          {"picture-exif", read_exif},
          picture("picture-jpeg", "\xff\xd8"),
          picture("picture-png", "\x89PNG\r\n\x1a\n"),
          picture("picture-tiff", "II*\0"sv),
          picture("picture-webp", "RIFF")};
}

}  // namespace letterpress
