#pragma once
#include <string>

namespace letterpress {

/// A whole HTML page that contains everything it needs: it opens without a network, and has styles
/// for light, dark and print. title: text; body: HTML.
std::string whole_page(const std::string& title, const std::string& body);

/// <section> with a heading. title: text; body: HTML.
std::string section(const std::string& title, const std::string& body);

/// A number at the top of the page; tiles go into a <div class="tiles">. what: text; value: HTML.
std::string tile(const std::string& what, const std::string& value);

}  // namespace letterpress
