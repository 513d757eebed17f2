#include "xml_tree.h"

#include <algorithm>
#include <array>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

bool is_element(const pugi::xml_node& node) { return node.type() == pugi::node_element; }

bool is_text(const pugi::xml_node& node) {
  return node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
}

}  // namespace

XmlTree::XmlTree(std::string_view text, const std::string& where)
    : text_(text),
      where_(where),
      result_(
          document_.load_buffer(text.data(), text.size(),
                                pugi::parse_default | pugi::parse_doctype | pugi::parse_fragment)) {
  if (result_ && !document_.find_child(is_element))
    result_.status = pugi::status_no_document_element;
}

std::optional<Message> XmlTree::fault_behind_root() const {
  const pugi::xml_node root = document_.find_child(is_element);
  pugi::xml_node node = root.next_sibling();
  while (node && !is_element(node) && !is_text(node)) node = node.next_sibling();
  if (!node) return std::nullopt;
  const std::string what = is_element(node) ? "an element <" + printable(node.name()) + ">"
                                            : "the text " + in_quotes(trim(node.value()));
  const bool is_other_file = std::string_view(node.name()) == root.name();
  return Message{.where = place_of(node),
                 .what = what + " stands behind the end of <" + printable(root.name()) +
                         ">, but an XML is one element",
                 .fix = is_other_file ? "give the two files apart" : "move it inside or remove it"};
}

std::string XmlTree::place_of(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  if (result_.encoding != pugi::encoding_utf8 || offset < 0) return where_;
  // A text starts with the blanks before it.
  const std::size_t at = text_.find_first_not_of(" \t\r\n", static_cast<std::size_t>(offset));
  return where_ + ":" + std::to_string(1 + std::ranges::count(text_.substr(0, at), '\n'));
}

std::string whole_text(const pugi::xml_node& element) {
  std::string text;
  for (pugi::xml_node node = element.first_child(); node; node = node.next_sibling()) {
    if (is_text(node)) text += node.value();
  }
  return text;
}

std::string without_literals(std::string_view xml) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kLiterals{
      {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}};
  std::string text;
  while (!xml.empty()) {
    std::size_t taken = std::min(xml.find('<', 1), xml.size());
    const auto literal =
        std::ranges::find_if(kLiterals, [&](const auto& ends) { return xml.starts_with(ends[0]); });
    if (literal == kLiterals.end()) {
      text += xml.substr(0, taken);
    } else {
      const std::size_t end = xml.find((*literal)[1], (*literal)[0].size());
      taken = end == std::string_view::npos ? xml.size() : end + (*literal)[1].size();
    }
    xml.remove_prefix(taken);
  }
  return text;
}

}  // namespace letterpress::annotations
