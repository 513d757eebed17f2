#include "letterpress/base/cpu.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

std::string_view choice() noexcept {
  const char* const text = std::getenv("LETTERPRESS_CPU");
  return text ? text : "";
}

}  // namespace

bool runs_avx2() noexcept { return choice() != "baseline" && __builtin_cpu_supports("avx2"); }

bool runs_avx512() noexcept {
  return choice() != "baseline" && choice() != "avx2" && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw");
}

void check_cpu_choice() {
  const std::string chosen(choice());
  if (chosen.empty() || chosen == "baseline" || (chosen == "avx2" && runs_avx2()) ||
      (chosen == "avx512" && runs_avx512()))
    return;
  const bool lacks = chosen == "avx2" || chosen == "avx512";
  throw Error(
      {.where = "LETTERPRESS_CPU=" + chosen,
       .what = lacks ? "this processor does not have it" : "must be baseline, avx2 or avx512",
       .fix = "unset it to run the fastest code that this processor has"},
      Exit::usage);
}

}  // namespace letterpress
