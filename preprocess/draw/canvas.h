#pragma once
#include <string>
#include <string_view>

namespace letterpress {

/// The text in ASCII, with one '?' for each other character: the stroke fonts have only ASCII.
std::string to_ascii(std::string_view utf8);

/// `text` (ASCII), cut to `width` pixels and ended with ".." if it is wider.
std::string fitting_text(const std::string& text, int width, double scale);

}  // namespace letterpress
