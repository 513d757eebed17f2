#include "preprocess/pictures/tiff_errors.h"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace letterpress {
namespace {

thread_local std::string first_error;

bool is_of_tags(std::string_view module) {
  constexpr std::array<std::string_view, 4> kReaders{"TIFFReadDirectory", "TIFFFetch",
                                                     "MissingRequired", "_TIFF"};
  for (const std::string_view reader : kReaders) {
    if (module.starts_with(reader)) return true;
  }
  return false;
}

}  // namespace

void keep_tiff_error(const char* module, const char* format, std::va_list arguments) {
  const std::string name = module ? module : "";
  if (!first_error.empty() || is_of_tags(name)) return;
  std::array<char, 256> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  first_error = (name.empty() ? "" : name + ": ") + text.data();
}

std::string take_tiff_error() { return std::exchange(first_error, {}); }

}  // namespace letterpress
