#pragma once
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "letterpress/base/error.h"

namespace letterpress::annotations {

/// An XML with all that stands in it: behind its root element, too, which pugixml alone passes over
/// (XML 1.0, production [1]: a document is one element). `text` and `where`, its name, outlive it.
class XmlTree {
 public:
  XmlTree(std::string_view text, const std::string& where);
  const pugi::xml_document& document() const noexcept { return document_; }
  const pugi::xml_parse_result& result() const noexcept { return result_; }
  /// Of an element or a text behind the root element; comments and instructions may follow it.
  std::optional<Message> fault_behind_root() const;
  /// "set.xml:5"; without the line where the text is not UTF-8.
  std::string place_of(const pugi::xml_node& node) const;

 private:
  std::string_view text_;
  const std::string& where_;
  pugi::xml_document document_{};
  pugi::xml_parse_result result_{};
};

/// The text of an element, its CDATA sections among it; pugixml's child_value() ends at the first.
std::string whole_text(const pugi::xml_node& element);

/// Without comments, CDATA sections and instructions: where & starts no entity (XML 1.0, 2.4).
std::string without_literals(std::string_view xml);

}  // namespace letterpress::annotations
