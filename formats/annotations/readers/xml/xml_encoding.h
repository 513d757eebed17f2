#pragma once
#include <optional>
#include <string_view>

#include "letterpress/base/error.h"

namespace letterpress::annotations {

/// What is wrong with an XML that declares an encoding which pugixml does not know, where the text
/// is not ASCII alone: "GB2312" would be read as UTF-8. Nothing: it declares none, or one of
/// Unicode or latin1.
std::optional<Message> encoding_fault(std::string_view xml);

}  // namespace letterpress::annotations
