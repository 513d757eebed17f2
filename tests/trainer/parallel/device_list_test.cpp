#include "trainer/parallel/device_list.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "trainer/parallel/device_users.h"

using namespace letterpress;

TEST_CASE("--gpus takes the first devices, --devices those it names, neither none") {
  CHECK(device_list("", "", 0).empty());
  CHECK(device_list("all", "", 3) == std::vector{0, 1, 2});
  CHECK(device_list("2", "", 3) == std::vector{0, 1});
  CHECK(device_list("", "2,0", 3) == std::vector{2, 0});
  CHECK(device_list("", "1", 3) == std::vector{1});
}

TEST_CASE("an unknown or repeated device is refused with a list of the devices") {
  const auto complains = [](const std::string& gpus, const std::string& devices, int present,
                            Exit exit, const std::string& text) {
    CAPTURE(text);
    try {
      device_list(gpus, devices, present);
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(std::string(error.what()) == text);
      CHECK(static_cast<int>(error.exit()) == static_cast<int>(exit));
    }
  };
  const std::string two = "there are 2 CUDA devices here: 0, 1",
                    none =
                        "there is no CUDA device here; look at nvidia-smi, or train on the CPU "
                        "with --device cpu --ranks N";
  complains("", "0,2", 2, Exit::configuration, "--devices 0,2: device 2 does not exist; " + two);
  complains("", "1,1", 2, Exit::usage,
            "--devices 1,1: device 1 is named twice, it serves one rank; " + two);
  complains("", "0,x", 2, Exit::usage,
            "--devices 0,x: 'x' is not a device number, must be a list such as 0,1; " + two);
  complains("", "0,", 2, Exit::usage,
            "--devices 0,: '' is not a device number, must be a list such as 0,1; " + two);
  complains("", "-1", 1, Exit::usage,
            "--devices -1: '-1' is not a device number, must be a list such as 0,1; there is 1 "
            "CUDA device "
            "here: 0");
  complains("", "0", 0, Exit::configuration, "--devices 0: device 0 does not exist; " + none);
  complains("3", "", 2, Exit::configuration, "--gpus 3: " + two);
  complains("all", "", 0, Exit::configuration, "--gpus all: " + none);
  complains("0", "", 2, Exit::usage, "--gpus is '0', must be all or a number from 1; " + two);
  complains("two", "", 2, Exit::usage, "--gpus is 'two', must be all or a number from 1; " + two);
  complains("1", "0", 2, Exit::usage, "--gpus and --devices are both given; pass only one of them");
}

TEST_CASE(
    "a device on which another process computes is refused with that process and the free "
    "devices") {
  const auto users = [](int device) {
    return std::string(device == 1 ? "python (process 4711, 3.1 GiB)" : "");
  };
  const auto complains = [](const std::vector<int>& list, int present, const auto& asked,
                            const std::string& text) {
    CAPTURE(text);
    try {
      require_free(list, present, "--devices 0,1", asked);
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(std::string(error.what()) == text);
      CHECK(static_cast<int>(error.exit()) == static_cast<int>(Exit::busy));
    }
  };
  complains({0, 1}, 3, users,
            "--devices 0,1: device 1 is busy with python (process 4711, 3.1 GiB); there are 3 CUDA "
            "devices here: 0, 1, 2; free now: "
            "--devices 0,2; pass --share-devices to train beside others, slower");
  complains(
      {0, 1}, 2, [](int) { return std::string("a program (process 5)"); },
      "--devices 0,1: device 0 is busy with a program (process 5); device 1 is busy with a program "
      "(process 5); there are 2 CUDA "
      "devices here: 0, 1; none is free now; pass --share-devices to train beside others, slower");
  CHECK_NOTHROW(require_free({0, 2}, 3, "--devices 0,2", users));
  CHECK_NOTHROW(require_free({}, 0, "", users));
  CHECK(device_users(9999).empty());  // also where there is no driver to ask
}
