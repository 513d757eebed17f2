#pragma once
#include <functional>
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {

/// "65 f.weights: is cut": exit code and text of the Error that `action` throws; "no error" where
/// it throws none.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.exit())) + " " + error.what();
  }
  return "no error";
}

}  // namespace letterpress
