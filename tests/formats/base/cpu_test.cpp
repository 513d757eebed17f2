#include "letterpress/base/cpu.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/message_of.h"
#include "tests/scoped_variable.h"

using namespace letterpress;

namespace {

struct Choice : ScopedVariable {
  explicit Choice(const char* value) : ScopedVariable("LETTERPRESS_CPU", value) {}
};

const bool has_avx2 = __builtin_cpu_supports("avx2");
const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");

}  // namespace

TEST_CASE("the processor decides, unless the environment asks for the baseline") {
  {
    const Choice unset(nullptr);
    CHECK(runs_avx2() == has_avx2);
    CHECK(runs_avx512() == has_avx512);
    CHECK(message_of(check_cpu_choice) == "no error");
  }
  {
    const Choice avx2("avx2");
    CHECK(runs_avx2() == has_avx2);
    CHECK_FALSE(runs_avx512());
  }
  const Choice baseline("baseline");
  CHECK_FALSE(runs_avx2());
  CHECK_FALSE(runs_avx512());
  CHECK(message_of(check_cpu_choice) == "no error");
}

TEST_CASE(
    "what the environment cannot mean, or this processor cannot do, is refused with what was "
    "wanted") {
  {
    const Choice wrong("sse9");
    CHECK(message_of(check_cpu_choice) ==
          "64 LETTERPRESS_CPU=sse9: must be baseline, avx2 or avx512; unset it to run the "
          "fastest code that this processor has");
  }
  for (const auto& [name, there] : {std::pair{"avx2", has_avx2}, std::pair{"avx512", has_avx512}}) {
    const Choice choice(name);
    CHECK(message_of(check_cpu_choice) ==
          (there ? std::string("no error")
                 : std::string("64 LETTERPRESS_CPU=") + name +
                       ": this processor does not have it; unset it to run the fastest code that "
                       "this processor has"));
  }
}
