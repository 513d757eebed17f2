#include "letterpress/machine/gpus.h"

#include <doctest/doctest.h>

#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("GPUs are told by the names that the driver's files give") {
  const TempDir dir;
  // As an NVIDIA driver writes it, below the GPU's place on the bus.
  dir.write("gpus/0000:65:00.0/information",
            "Model: \t\t NVIDIA GeForce RTX 3090\nIRQ:   \t\t 91\nGPU UUID: \t GPU-1\n");
  dir.write("gpus/0000:b3:00.0/information", "IRQ:   \t\t 92\nModel:\n");
  dir.write("gpus/0000:17:00.0/information", "Model: \t\t NVIDIA H200\n");
  CHECK(gpus_of_driver(dir / "gpus") ==
        std::vector<std::string>{"NVIDIA H200", "NVIDIA GeForce RTX 3090"});
  CHECK(gpus_of_driver(dir / "none").empty());
}
