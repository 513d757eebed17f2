#include "xml_encoding.h"

#include <algorithm>
#include <array>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

bool is_known(std::string_view encoding) {
  constexpr std::array<std::string_view, 4> kKnown{"ascii", "us-ascii", "iso-8859-1", "latin1"};
  std::string small(encoding);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small.starts_with("utf") || small.starts_with("ucs") ||
         std::ranges::find(kKnown, small) != kKnown.end();
}

}  // namespace

std::string unknown_encoding(std::string_view xml) {
  const bool is_ascii =
      std::ranges::all_of(xml, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii || !xml.starts_with("<?xml")) return {};
  constexpr std::string_view kKey = "encoding";
  const std::string_view declaration = xml.substr(0, xml.find("?>"));
  const std::size_t key = declaration.find(kKey);
  if (key == std::string_view::npos) return {};
  std::string_view value = trim(declaration.substr(key + kKey.size()));
  if (!value.starts_with('=')) return {};
  value = trim(value.substr(1));
  if (value.empty() || (value[0] != '"' && value[0] != '\'')) return {};
  const std::string_view encoding = value.substr(1, value.find(value[0], 1) - 1);
  return is_known(encoding) ? "" : std::string(encoding);
}

}  // namespace letterpress::annotations
