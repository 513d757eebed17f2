#pragma once
#include <string>

namespace letterpress {

/// Says that the running case cannot run here, and why: "no zsh here". The program then ends with
/// 77, which ctest reports as skipped. A case that may skip belongs to a test suite of what it
/// needs, `TEST_CASE("..." * doctest::test_suite("needs zsh"))`: ctest runs each such suite by
/// itself.
void skip(const std::string& reason);

}  // namespace letterpress
