#include "trainer/device/not_deterministic.h"

#include <c10/util/Exception.h>

namespace letterpress {

// LibTorch has no type of exception for it, only this text (Context::alertNotDeterministic).
std::optional<std::string> not_deterministic(const std::exception& failure) {
  const auto* const error = dynamic_cast<const c10::Error*>(&failure);
  if (!error) return std::nullopt;
  const std::string text = error->what_without_backtrace();
  const std::size_t end = text.find(" does not have a deterministic implementation");
  if (end == std::string::npos) return std::nullopt;
  return text.substr(0, end);
}

}  // namespace letterpress
