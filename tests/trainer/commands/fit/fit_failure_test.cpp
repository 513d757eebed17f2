#include "trainer/commands/fit/fit_failure.h"

#include <filesystem>
#include <new>
#include <system_error>

#include "tests/trainer/fit/run_bench.h"
#include "trainer/commands/fit/fit_ranks.h"
#include "trainer/device/device.h"

using namespace letterpress;

namespace {

const char* const kOnGpu =
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of "
    "which 1.10 GiB is free. Process 12 has "
    "78.14 GiB memory in use.";

std::string what(const std::exception& failure, const std::string& where,
                 const FitOptions& options) {
  const Error error = fit_failure(failure, where, options);
  CHECK(static_cast<int>(error.exit()) == static_cast<int>(Exit::io));
  return error.what();
}

}  // namespace

TEST_CASE(
    "memory that runs out is told with rank and step, what was wanted, and the flags that take "
    "less") {
  const FitOptions options{.batch = 64, .accumulate = 2};
  CHECK(what(c10::OutOfMemoryError(c10::SourceLocation{"", "", 0}, kOnGpu), "rank 1 of 2, step 17",
             options) ==
        "rank 1 of 2, step 17: out of memory: 2.00 GiB more were needed, GPU 0 has a total "
        "capacity of 79.25 GiB of which 1.10 GiB is free; "
        "a larger --accumulate (2) trains the same in smaller parts; a smaller --batch (64) or "
        "--input-size, --precision bf16 take less, "
        "too, and `fit --dry-run` tells how much");
  const FitOptions others{.multi_scale = "320-608", .precision = "bf16"};
  CHECK(what(std::bad_alloc(), "", others) ==
        "out of memory: more was needed; a larger --accumulate (1) trains the same in smaller "
        "parts; a smaller --batch (16) or "
        "--multi-scale (320-608) take less, too, and `fit --dry-run` tells how much");
}

TEST_CASE("an operation without a reproducible kernel is told, and which flag refuses it") {
  try {
    choose_kernels({.deterministic = true});
    at::globalContext().alertNotDeterministic("cumsum_cuda");
    FAIL("it went on");
  } catch (const std::exception& failure) {
    choose_kernels({});
    const Error error = fit_failure(failure, "step 1", {});
    CHECK(static_cast<int>(error.exit()) == static_cast<int>(Exit::configuration));
    CHECK(std::string(error.what()) ==
          "step 1: --deterministic: cumsum_cuda has no reproducible kernel on this device; leave "
          "the flag out");
  }
  choose_kernels({});
  CHECK_NOTHROW(at::globalContext().alertNotDeterministic("cumsum_cuda"));
}

TEST_CASE("what the file system refuses is exit 74 with its path, no bug of ours") {
  const std::filesystem::filesystem_error refused(
      "status", "x", std::make_error_code(std::errc::filename_too_long));
  CHECK(what(refused, "rank 1 of 2", {}) ==
        "rank 1 of 2: x: cannot be examined: File name too long");
}

TEST_CASE(
    "an Error of a rank keeps its words and its exit code; what is neither is a bug of ours") {
  const Error damaged =
      fit_failure(Error("a.h5 row 3: damaged", Exit::data), "rank 1 of 2, step 17", {});
  CHECK(std::string(damaged.what()) == "rank 1 of 2, step 17: a.h5 row 3: damaged");
  CHECK(static_cast<int>(damaged.exit()) == static_cast<int>(Exit::data));
  const Error cut =
      fit_failure(Error({.where = "a.h5", .what = "cut", .fix = "copy it"}), "rank 1 of 2", {});
  CHECK(cut.message().where == "rank 1 of 2: a.h5");
  CHECK(cut.message().what == "cut");
  CHECK(cut.message().fix == "copy it");
  const Error bug = fit_failure(std::logic_error("no such layer"), "", {});
  CHECK(std::string(bug.what()) == "a bug of ours, please report it: no such layer");
  CHECK(static_cast<int>(bug.exit()) == static_cast<int>(Exit::bug));
}

TEST_CASE(
    "a training whose second step wants more than there is ends with that step's number and 74") {
  RunBench bench({.train = 8, .val = 0, .views = 2});
  FitOptions options = bench.options("run", 1);
  options.hooks.after_step = [](std::int64_t step) {
    if (step == 2) (void)torch::empty({std::int64_t{1} << 50}, torch::kByte);
  };
  check_error(
      Exit::io,
      "step 2: out of memory: 1125899906842624 bytes more were needed; a larger --accumulate (1)",
      [&] { fit_on_ranks(options, false); });
  options.out = bench.dir / "gpu";
  options.hooks.after_step = [](std::int64_t) {
    throw c10::OutOfMemoryError(c10::SourceLocation{"", "", 0}, kOnGpu);
  };
  check_error(Exit::io, "step 1: out of memory: 2.00 GiB more were needed, GPU 0",
              [&] { fit_on_ranks(options, false); });
}
