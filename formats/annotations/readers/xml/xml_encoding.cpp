#include "xml_encoding.h"

#include <algorithm>
#include <array>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

bool is_known(std::string_view encoding) {
  constexpr std::array<std::string_view, 4> kKnown{"ascii", "us-ascii", "iso-8859-1", "latin1"};
  const std::string small = in_small_letters(encoding);
  return small.starts_with("utf") || small.starts_with("ucs") ||
         std::ranges::find(kKnown, small) != kKnown.end();
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Empty: none.
std::string_view declared_encoding(std::string_view xml) {
  if (!xml.starts_with("<?xml")) return {};
  constexpr std::string_view kKey = "encoding";
  const std::string_view declaration = xml.substr(0, xml.find("?>"));
  const std::size_t key = declaration.find(kKey);
  if (key == std::string_view::npos) return {};
  std::string_view value = trim(declaration.substr(key + kKey.size()));
  if (!value.starts_with('=')) return {};
  value = trim(value.substr(1));
  if (value.empty() || (value[0] != '"' && value[0] != '\'')) return {};
  return value.substr(1, value.find(value[0], 1) - 1);
}

}  // namespace

std::optional<Message> encoding_fault(std::string_view xml) {
  const std::string_view encoding = declared_encoding(xml);
  if (encoding.empty() || is_known(encoding) || is_ascii(xml)) return std::nullopt;
  return Message{.what = "declares the encoding " + in_quotes(encoding) + ", which is not read",
                 .fix = "save it as UTF-8"};
}

}  // namespace letterpress::annotations
