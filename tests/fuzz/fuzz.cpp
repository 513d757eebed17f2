// For libFuzzer, with one group of targets: LETTERPRESS_FUZZ_TARGET in the environment names one.
#include <cstdint>
#include <cstdlib>

#include "target.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

const FuzzTarget& chosen_target() {
  static const std::vector<FuzzTarget> targets = LETTERPRESS_FUZZ_TARGETS();
  const char* name = std::getenv("LETTERPRESS_FUZZ_TARGET");
  for (const FuzzTarget& target : targets)
    if (name && target.name == name) return target;
  std::string known;
  for (const FuzzTarget& target : targets) known += " " + target.name;
  broken_promise("LETTERPRESS_FUZZ_TARGET must be one of:" + known);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const FuzzTarget& target = chosen_target();
  static const TempDir folder;
  static const bool is_prepared = target.prepare && (target.prepare(folder.path()), true);
  (void)is_prepared;
  const std::string wrong =
      wrong_with(target, folder.path(), std::as_bytes(std::span(bytes, size)));
  if (!wrong.empty()) broken_promise(wrong);
  return 0;
}
