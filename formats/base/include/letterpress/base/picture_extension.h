#pragma once
#include <span>
#include <string>
#include <string_view>

namespace letterpress {

/// An extension that names pictures, lower case without its dot, and the format it promises. What a
/// file is, its first bytes decide.
struct PictureExtension {
  std::string_view extension, format;
};

/// The formats that the decoder knows, for everybody who looks for pictures by their names.
std::span<const PictureExtension> picture_extensions() noexcept;
bool has_picture_extension(std::string_view name);  ///< in any case: "a/b.JPG"
/// Names a picture of a format that is not read: to be counted and rejected, not passed over.
bool has_unread_picture_extension(std::string_view name);
std::string picture_extensions_text();  ///< ".jpg .jpeg ...", for messages

}  // namespace letterpress
