#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/skip.h"

namespace letterpress {
namespace {
bool skipped = false;
}

void skip(const std::string& reason) {
  skipped = true;
  MESSAGE("skipped: ", reason);
}
}  // namespace letterpress

int main(int argc, char** argv) {
  const int result = doctest::Context(argc, argv).run();
  return result == 0 && letterpress::skipped ? 77 : result;
}
