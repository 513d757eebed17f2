#include "trainer/device/memory_shortage.h"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <new>
#include <stdexcept>

using namespace letterpress;

TEST_CASE("a failed allocation on the host says how many bytes were needed") {
  try {
    (void)torch::empty({std::int64_t{1} << 50}, torch::kByte);  // more than addresses reach
    FAIL("it was had");
  } catch (const std::exception& failure) {
    CHECK(memory_shortage(failure) == "1125899906842624 bytes more were needed");
  }
  CHECK(memory_shortage(std::bad_alloc()) == "more was needed");
}

TEST_CASE(
    "so does one on a GPU, with the device's memory; CUDA's libraries say only that memory ran "
    "out") {
  const auto thrown = [](const std::string& text) {
    return memory_shortage(c10::OutOfMemoryError(c10::SourceLocation{"", "", 0}, text));
  };
  CHECK(thrown("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
               "79.25 GiB of which 1.10 GiB is free. Process "
               "12 has 78.14 GiB memory in use. Of the allocated memory 77.00 GiB is allocated by "
               "PyTorch, and 500.00 MiB is reserved.") ==
        "2.00 GiB more were needed, GPU 0 has a total capacity of 79.25 GiB of which 1.10 GiB is "
        "free");
  CHECK(thrown("CUDA out of memory. Tried to allocate 20.00 MiB. ") ==
        "20.00 MiB more were needed");
  for (const std::string status :
       {"CUDNN_STATUS_ALLOC_FAILED", "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
        "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"}) {
    CAPTURE(status);
    CHECK(memory_shortage(c10::Error(c10::SourceLocation{"", "", 0}, "cuDNN error: " + status)) ==
          "more was needed");
  }
  CHECK(memory_shortage(std::runtime_error("CUDA error: out of memory")) == "more was needed");
  // As libtorch_cuda.so of PyTorch 2.11 writes them.
  for (const std::string none : {"FIND was unable to find an engine to execute this computation",
                                 "GET was unable to find an engine to execute this computation",
                                 "Unable to find a valid cuDNN algorithm to run convolution"}) {
    CAPTURE(none);
    CHECK(memory_shortage(c10::Error(c10::SourceLocation{"", "", 0}, none)) ==
          "cuDNN found no kernel for a convolution: no workspace fits, or the device does not "
          "compute in this --precision (all do in fp32)");
  }
}

TEST_CASE("it becomes an Error with a fix; other exceptions stay as they are") {
  const auto throwing = [](const auto& failure) {
    return explaining_shortage("a smaller --batch takes less", [&]() -> int { throw failure; });
  };
  try {
    throwing(std::bad_alloc());
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "out of memory: more was needed; a smaller --batch takes less");
    CHECK(static_cast<int>(error.exit()) == static_cast<int>(Exit::io));
  }
  CHECK_THROWS_WITH_AS(throwing(Error("a.h5: out of memory of a disk")),
                       "a.h5: out of memory of a disk", Error);
  CHECK_THROWS_AS(throwing(std::logic_error("no such layer")), std::logic_error);
  CHECK(explaining_shortage("", [] { return 7; }) == 7);
}

TEST_CASE("other failures are not memory shortages") {
  CHECK_FALSE(memory_shortage(std::runtime_error("loss is nan")).has_value());
  CHECK_FALSE(memory_shortage(c10::Error(c10::SourceLocation{"", "", 0},
                                         "shape '[3]' is invalid for input of size 4"))
                  .has_value());
}
