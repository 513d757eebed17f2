#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

// A black BMP of side x side whose pixels take no disk space; `seed` makes its bytes differ from another's.
void huge_bmp(const std::filesystem::path& file, std::int32_t side, char seed) {
  std::string header(54, '\0');
  const auto put = [&](std::size_t at, std::int32_t value) { std::memcpy(header.data() + at, &value, 4); };
  header[0] = 'B';
  header[1] = 'M';
  const std::int32_t bytes = 54 + (side * 3 + 3) / 4 * 4 * side;
  put(2, bytes);
  put(10, 54);
  put(14, 40);
  put(18, side);
  put(22, side);
  header[26] = 1;
  header[28] = 24;
  std::ofstream(file, std::ios::binary) << header << seed;
  std::filesystem::resize_file(file, static_cast<std::uintmax_t>(bytes));
}

double seconds_of(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double children_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds_of(usage);
}

// Processor time that a running program has used: fields 14 and 15 of its stat.
double cpu_s(pid_t process) {
  std::istringstream fields(file_text("/proc/" + std::to_string(process) + "/stat"));
  std::string field;
  for (int i = 0; i < 13; ++i) fields >> field;
  double user = 0, kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// A shard is in the making: its file is there, larger than any other that a build keeps in tmp/.
bool makes_rows(const std::filesystem::path& store) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(store / "tmp", error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    const std::uintmax_t bytes = entry->file_size(gone);
    if (!gone && bytes > (1 << 20)) return true;
  }
  return false;
}

// False when the program has ended before.
bool wait_for_rows(const RunningProgram& program, const std::filesystem::path& store) {
  for (;;) {
    siginfo_t info{};
    const bool ended = waitid(P_PID, static_cast<id_t>(program.id()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
    if (makes_rows(store)) return true;
    if (ended) return false;
    sched_yield();
  }
}

}  // namespace

TEST_CASE("SIGTERM among huge pictures ends a build within two seconds of work, with 143") {
  DrawnSet set;
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "huge" + std::to_string(i) + ".bmp";
    huge_bmp(set.folder / name, 6000, static_cast<char>('a' + i));
    lines += name + " 10,10,400,300,0\n";
  }
  set.list("train.txt", lines);
  std::vector<std::string> words = build_words(set, {"--threads", "1", "--size", "2048", "--views", "64", "--shard-bytes", "16MiB"});
  words.erase(words.begin() + 7, words.begin() + 11);  // its own --size and --views
  words.insert(words.begin(), program_path("letterpress-preprocess"));
  const double before = children_cpu_s();
  RunningProgram program(words);
  REQUIRE(wait_for_rows(program, set.folder / "store"));
  const double at_signal = cpu_s(program.id());
  program.send(SIGTERM);
  const ProgramResult result = program.wait();
  CAPTURE(result.err);
  CHECK(result.exit_code == 143);
  // Of the processor, so that a busy machine does not fail the test.
  CHECK(children_cpu_s() - before - at_signal < 2);
}

}  // namespace letterpress
