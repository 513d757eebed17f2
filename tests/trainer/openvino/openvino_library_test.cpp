#include "trainer/openvino/openvino_library.h"

#include <doctest/doctest.h>

#include "tests/message_of.h"
#include "tests/scoped_variable.h"
#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("a folder that is named and holds no OpenVINO is refused with what to do") {
  const TempDir empty;
  const std::string folder = empty.path().string();
  const ScopedVariable named("LETTERPRESS_OPENVINO", folder.c_str());
  CHECK(message_of([] { openvino_library(); }) ==
        "78 LETTERPRESS_OPENVINO=" + folder +
            ": that folder holds no libopenvino_c.so; pip install openvino, and name the folder "
            "openvino/libs of its package in LETTERPRESS_OPENVINO; or use --engine torch, which "
            "takes "
            "checkpoints");
}
