#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress::annotations {

/// The lines of a text that are not empty, without line ends (\n, \r\n or, in a text without \n,
/// \r), surrounding blanks and a byte order mark.
class Lines {
 public:
  explicit Lines(std::string_view text);
  bool next();  ///< false after the last line
  std::string_view text() const noexcept { return text_; }
  std::int64_t number() const noexcept { return number_; }  ///< from 1; empty lines count

 private:
  std::string_view rest_, text_;
  char end_;
  std::int64_t number_ = 0;
};

std::string_view trim(std::string_view text);
/// The first run of characters that are not blanks, taken off the front of `text`; empty at the
/// end.
std::string_view take_field(std::string_view& text);
/// What is before the next `separator`, taken off the front of `text` together with it.
std::string_view take_until(std::string_view& text, char separator);

/// The whole text as a number, independent of the locale; NaN and infinities are numbers here.
std::optional<double> parse_number(std::string_view text);
/// The whole text as an integer; "2" and "2.0", not "2.5".
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A coordinate, or why the text is not one: letters, NaN, infinite, beyond 1e7 (where a float can
/// no longer tell pixels apart).
struct Coordinate {
  double value = 0;
  std::string fault;  ///< "'abc' is not a number"; empty: it is one
};
Coordinate parse_coordinate(std::string_view text);
bool is_coordinate(double value);  ///< finite and at most 1e7
/// Whether a number may be a picture's width or height in pixels.
template <class Number>
constexpr bool is_picture_side(Number number) {
  return number >= 1 && number < 1 << 24;
}

/// The text as it may be shown and stored: valid UTF-8 without control characters (these as \xNN),
/// cut with "..." after `longest` bytes.
std::string printable(std::string_view text, std::size_t longest = 200);
std::string in_quotes(std::string_view text);         ///< 'printable'
std::string in_small_letters(std::string_view text);  ///< those of ASCII
std::string without_slash(std::string path);          ///< "a/b" of "a/b/", "/" of "/"
std::string_view last_part(std::string_view path);    ///< "1.jpg" of "a/1.jpg" and "C:\a\1.jpg"
bool is_utf8(std::string_view text);
bool is_utf16(std::string_view text);  ///< by its byte order mark
/// Of ASCII or Latin-1; line ends and tabs are some.
bool has_control_character(std::string_view text);

/// "1 box", "2 boxes"
std::string counted(std::int64_t n, std::string_view one, std::string_view many);

}  // namespace letterpress::annotations
