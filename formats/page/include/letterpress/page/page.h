#pragma once
#include <string>

namespace letterpress {

/// A whole HTML page with everything in it, its style too: opened without a network, read in the
/// light, in the dark and on paper. title: text; body: HTML.
std::string whole_page(const std::string& title, const std::string& body);

/// <section> with a heading. title: text; body: HTML.
std::string section(const std::string& title, const std::string& body);

/// A figure that is seen first; they stand in a <div class="tiles">. what: text; value: HTML.
std::string tile(const std::string& what, const std::string& value);

}  // namespace letterpress
