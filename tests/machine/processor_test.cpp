#include "letterpress/machine/processor.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "letterpress/base/cores.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

// Two of the cores of a server, as /proc/cpuinfo has them.
constexpr const char* kServer =
    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\n"
    "flags\t\t: fpu avx avx2 avx512f avx512bw avx512_bf16 amx_bf16 amx_tile\n\n"
    "processor\t: 1\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\n"
    "flags\t\t: fpu avx avx2 avx512f avx512bw avx512_bf16 amx_bf16 amx_tile\n\n";

struct Root : TempDir {
  Root(const std::string& cpuinfo, const std::string& granted) {
    fs::create_directories(path() / "proc");
    fs::create_directories(path() / "sys/fs/cgroup");
    write("proc/cpuinfo", cpuinfo);
    if (!granted.empty()) write("sys/fs/cgroup/cpu.max", granted);
  }
};

}  // namespace

TEST_CASE("a processor is named with its cores and the sets that kernels are chosen by") {
  const Root root(kServer, "150000 100000\n");
  const Processor processor = processor_of_machine(root.path());
  CHECK(processor.name == "Intel(R) Xeon(R) Platinum 8480+");
  CHECK(processor.cores == 2);
  CHECK(processor.usable == std::min(2, available_cores(TempDir().path())));
  CHECK(processor.share == 1.5);
  CHECK(processor.sets == std::vector<std::string>{"avx2", "avx512f", "avx512_bf16", "amx_bf16"});
}

TEST_CASE("no limit of the container, no file of it and no cpuinfo mean no limit and unknown") {
  CHECK(processor_of_machine(Root(kServer, "max 100000\n").path()).share == 0);
  const Processor old = processor_of_machine(
      Root("processor\t: 0\nmodel name\t: Old\nflags\t\t: fpu avx avx2x\n", "").path());
  CHECK(old.share == 0);
  CHECK(old.sets.empty());
  const TempDir none;
  CHECK(processor_of_machine(none.path()).name.empty());
}
