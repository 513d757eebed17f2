#include "letterpress/base/checked_text.h"

#include <span>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {

std::string checked_first_line(std::string_view header, const Hash128& checksum) {
  return std::string(header) + " " + checksum.hex() + "\n";
}

std::optional<std::string> read_checked_text(const std::filesystem::path& file,
                                             std::string_view header) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  const std::string start = std::string(header) + " ";
  std::string text(start.size(), '\0');
  try {
    // Before memory is taken for what may be a terabyte of anything.
    const File opened = File::open_to_read(file);
    opened.read_at(0, std::as_writable_bytes(std::span(text)));
    if (text != start) return std::nullopt;
    text.resize(static_cast<std::size_t>(opened.regular_size()));
    opened.read_at(0, std::as_writable_bytes(std::span(text)));
  } catch (const Error&) {
    return std::nullopt;
  }
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const Hash128 checksum = hash128(std::string_view(text).substr(end + 1));
  if (!text.starts_with(checked_first_line(header, checksum))) return std::nullopt;
  return text.erase(0, end + 1);
}

}  // namespace letterpress
