#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace letterpress {

/// Text that is safe between tags and in quoted attributes: & < > " ' become entities, control
/// characters and bytes that are not UTF-8 become U+FFFD. Names come from label files and may hold
/// anything.
std::string escaped(std::string_view text);

/// "data:image/png;base64,...": a picture inside the page. png: a whole PNG file.
std::string png_uri(std::span<const std::byte> png);

/// 1234567 -> "1,234,567"
std::string grouped(std::int64_t number);

/// A number with a name, by which programs find it: <span
/// data-figure="pictures_found">1,234</span>.
std::string named_number(const std::string& name, std::int64_t number);

/// Digits after the point: (3.14159, 2) -> "3.14".
std::string fixed(double number, int digits);

/// " data-class=\"cat\"": an attribute for programs.
std::string attribute(const std::string& name, const std::string& value);

/// A name cut to `most` bytes, between characters, with "…" in place of the rest: a label in a
/// column.
std::string shortened(const std::string& name, std::size_t most);

}  // namespace letterpress
