#pragma once
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include "letterpress/base/fault_hook.h"

namespace letterpress {

/// Makes every call of one operation fail while it lives.
struct Fault {
  Fault(std::string operation, int error_number) {
    set_fault_hook([=](std::string_view asked, std::string_view) {
      return asked == operation ? error_number : 0;
    });
  }
  ~Fault() { set_fault_hook(nullptr); }
};

inline std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

}  // namespace letterpress
