#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

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
  std::cout << std::unitbuf;  // a test that is killed has said which cases it has ended
  doctest::Context context(argc, argv);
  context.setOption("duration", true);
  const int result = context.run();
  return result == 0 && letterpress::skipped ? 77 : result;
}
