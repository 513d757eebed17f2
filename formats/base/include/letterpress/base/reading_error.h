#pragma once
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {

/// system_error() of what is only read: a user without the right to needs no write access.
Error reading_error(const std::string& where, const std::string& what, int error_number);

}  // namespace letterpress
