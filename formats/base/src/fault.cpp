#include "letterpress/base/fault.h"

#include <utility>

namespace letterpress {
namespace {
FaultHook& hook_in_force() {
  static FaultHook hook;
  return hook;
}
}  // namespace

void set_fault_hook(FaultHook hook) { hook_in_force() = std::move(hook); }

int injected_fault(std::string_view operation, std::string_view path) {
  const FaultHook& hook = hook_in_force();
  return hook ? hook(operation, path) : 0;
}

}  // namespace letterpress
