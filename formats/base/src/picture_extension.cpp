#include "letterpress/base/picture_extension.h"

#include <algorithm>
#include <array>

namespace letterpress {
namespace {

std::string lower_extension(std::string_view name) {
  constexpr std::size_t kLongest = 4;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || name.size() - dot > kLongest + 1) return {};
  std::string extension(name.substr(dot + 1));
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension;
}

}  // namespace

std::span<const PictureExtension> picture_extensions() noexcept {
  static constexpr std::array<PictureExtension, 10> kExtensions{{{"jpg", "JPEG"},
                                                                 {"jpeg", "JPEG"},
                                                                 {"jpe", "JPEG"},
                                                                 {"jfif", "JPEG"},
                                                                 {"png", "PNG"},
                                                                 {"bmp", "BMP"},
                                                                 {"dib", "BMP"},
                                                                 {"tif", "TIFF"},
                                                                 {"tiff", "TIFF"},
                                                                 {"webp", "WebP"}}};
  return kExtensions;
}

std::string_view promised_format(std::string_view name) {
  const auto known = picture_extensions();
  const auto found = std::ranges::find(known, lower_extension(name), &PictureExtension::extension);
  return found == known.end() ? std::string_view() : found->format;
}

bool has_picture_extension(std::string_view name) { return !promised_format(name).empty(); }

bool has_unread_picture_extension(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kUnread{"gif", "heic", "heif", "avif", "jp2",
                                                            "jxl", "pgm",  "ppm",  "pnm",  "tga"};
  return std::ranges::find(kUnread, lower_extension(name)) != kUnread.end();
}

std::string picture_extensions_text() {
  std::string text;
  for (const PictureExtension& entry : picture_extensions())
    text += (text.empty() ? "." : " .") + std::string(entry.extension);
  return text;
}

std::string_view without_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t slash = name.rfind('/');
  const bool none = dot == std::string_view::npos || dot == 0 ||
                    (slash != std::string_view::npos && dot <= slash + 1);
  return none ? name : name.substr(0, dot);
}

}  // namespace letterpress
