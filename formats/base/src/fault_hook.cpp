#include "letterpress/base/fault_hook.h"

#include <utility>

namespace letterpress {
namespace {
FaultHook& installed_hook() {
  static FaultHook hook;
  return hook;
}
}  // namespace

void set_fault_hook(FaultHook hook) { installed_hook() = std::move(hook); }

int injected_fault(std::string_view operation, std::string_view path) {
  const FaultHook& hook = installed_hook();
  return hook ? hook(operation, path) : 0;
}

}  // namespace letterpress
