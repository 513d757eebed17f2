#pragma once
#include <span>
#include <string>
#include <string_view>

namespace letterpress {

/// A file extension of pictures, in lower case without its dot, and the format that it promises.
/// The format of a file is decided by its first bytes.
struct PictureExtension {
  std::string_view extension, format;
};

/// The formats that the decoder knows, for code that looks for pictures by their names.
std::span<const PictureExtension> picture_extensions() noexcept;
/// The format that a name's extension promises, in any case: JPEG of "a/b.JPG"; empty: none of
/// these.
std::string_view promised_format(std::string_view name);
bool has_picture_extension(std::string_view name);
/// The extension of a picture format that is not read: such a file is counted and rejected, not
/// passed over.
bool has_unread_picture_extension(std::string_view name);
std::string picture_extensions_text();  ///< ".jpg .jpeg ...", for messages

/// "a/b" of "a/b.jpg". The name of a hidden file, ".b", is not an extension.
std::string_view without_extension(std::string_view name);

}  // namespace letterpress
