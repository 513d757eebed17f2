#pragma once
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/locations.h"
#include "tests/skip.h"

namespace letterpress {

/// Checks that a Python script of the tests, given `file`, ends with exit code 0. script: from the
/// repository's root. Skips where there is no Python (127) or the script lacks its
/// packages (77).
inline void check_read_by_python(const std::string& script, const std::filesystem::path& file) {
  const std::string command = LETTERPRESS_TEST_PYTHON " '" LETTERPRESS_SOURCE_DIR "/" + script +
                              "' '" + file.string() + "'";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
    return skip("no python3 with numpy and safetensors; scripts/setup.sh --tests");
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace letterpress
