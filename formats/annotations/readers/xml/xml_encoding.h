#pragma once
#include <string>
#include <string_view>

namespace letterpress::annotations {

/// The encoding that an XML declares and pugixml does not know, where the text is not ASCII alone:
/// "GB2312", which would be read as UTF-8. Empty: it declares none, or one of Unicode or latin1.
std::string unknown_encoding(std::string_view xml);

}  // namespace letterpress::annotations
