#include "trainer/parallel/nccl_backend.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/scoped_variable.h"

using namespace letterpress;

TEST_CASE("NCCL is refused where the environment lets its connections start in any order") {
  for (const std::string value : {"0", "2", ""}) {
    CAPTURE(value);
    const ScopedVariable order("NCCL_LAUNCH_ORDER_IMPLICIT", value.c_str());
    try {
      nccl_backend({}, 0, 2);
      FAIL("was accepted");
    } catch (const Error& error) {
      CHECK((error.exit() == Exit::configuration));
      CHECK(std::string(error.what()) ==
            "NCCL_LAUNCH_ORDER_IMPLICIT: is '" + value +
                "', must be 1: else ranks may wait for each other forever; unset it");
    }
  }
}
