#include "letterpress/commandline/program.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>

#include "letterpress/base/error.h"
#include "tests/commandline/run_tool.h"
#include "tests/temp_dir.h"

using namespace letterpress;

// These stand before tests that make the request of this process, which children would inherit.
TEST_CASE("work that looks at no signal ends a second after it, where it may die at any moment") {
  const pid_t child = fork();
  if (child == 0) {
    Flags flags;
    const auto deaf = []() -> int {
      end_soon_when_stopped();
      std::raise(SIGTERM);
      for (;;) pause();
    };
    _exit(run({"build", "--store", "s"}, flags, deaf).code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 143);
}

TEST_CASE("a signal before such work counts, too; behind it, work looks at signals again") {
  const auto code_of = [](bool waits) {
    const pid_t child = fork();
    if (child == 0) {
      Flags flags;
      const auto work = [waits]() -> int {
        std::raise(SIGTERM);
        {
          const EndsSoonWhenStopped soon;
          while (waits) pause();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        return 7;
      };
      _exit(run({"build", "--store", "s"}, flags, work).code);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
  };
  CHECK(code_of(true) == 143);
  CHECK(code_of(false) == 7);
}

TEST_CASE("flags reach the command, and what it returns is the exit code") {
  Flags flags;
  CHECK(
      run({"build", "--store", "s", "--size=640", "--input", "a", "b", "--input", "c"}, flags, [] {
        return 3;
      }).code == 3);
  CHECK(flags.store == "s");
  CHECK(flags.size == 640);
  CHECK(flags.input == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("help, version and completion that nobody can read are exit 74 and say so") {
  struct Full : std::streambuf {};  // takes no character
  const std::vector<std::vector<std::string>> asked{
      {"--help"}, {"build", "--help"}, {"--version"}, {"completion", "bash"}, {"info"}};
  for (const std::vector<std::string>& words : asked) {
    CAPTURE(words.front());
    Full full;
    std::ostringstream err;
    std::vector<char*> argv{const_cast<char*>("tool")};
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    const Command build{
        .name = "build", .summary = "pictures -> shards", .run = [](auto&) { return 0; }};
    const Command info{.name = "info", .summary = "what a store holds", .run = [](auto&) {
                         return std::cout << "store", 0;
                       }};
    auto* const old_out = std::cout.rdbuf(&full);
    auto* const old_err = std::cerr.rdbuf(err.rdbuf());
    const int code =
        run_program("tool", "a tool", {build, info}, static_cast<int>(argv.size()), argv.data());
    std::cout.rdbuf(old_out);  // clears its state, too
    std::cerr.rdbuf(old_err);
    CHECK(code == 74);
    CHECK(err.str().find(
              "standard output: cannot be written; is its disk full or its reader gone?") !=
          std::string::npos);
  }
}

TEST_CASE("a number that must not be negative is refused, not wrapped round") {
  Flags flags;
  const Outcome outcome = run({"build", "--store", "s", "--seed", "-1"}, flags);
  CHECK(outcome.code == 64);
  CHECK(outcome.err ==
        "tool: --seed is '-1', must be a whole number from 0 to 18446744073709551615\n");
  CHECK(run({"build", "--store", "s", "--seed", "18446744073709551615"}, flags).code == 0);
  CHECK(flags.seed == 18446744073709551615U);
}

TEST_CASE("code for a processor that nobody knows is usage before anything runs") {
  setenv("LETTERPRESS_CPU", "fast", 1);
  Flags flags;
  const Outcome outcome = run({"build", "--store", "s"}, flags, [] { return 3; });
  unsetenv("LETTERPRESS_CPU");
  CHECK(outcome.code == 64);
  CHECK(
      outcome.err.find("tool: LETTERPRESS_CPU=fast: must be baseline, avx2 or avx512; unset it") !=
      std::string::npos);
}

TEST_CASE("an unknown flag is usage, with the nearest known one") {
  Flags flags;
  // A required one, too, whose place is empty then.
  const Outcome required = run({"build", "--stor", "s"}, flags);
  CHECK(required.code == 64);
  CHECK(required.err.find("tool: unknown flag '--stor'; did you mean '--store'?") == 0);
  const Outcome outcome = run({"build", "--store", "s", "--sise", "640"}, flags);
  CHECK(outcome.code == 64);
  CHECK(outcome.err.find("tool: unknown flag '--sise'; did you mean '--size'?") !=
        std::string::npos);
}

TEST_CASE(
    "an unknown command, none, a missing flag, a stray word and a bad number are usage and say "
    "what to do") {
  Flags flags;
  const auto check = [&](std::vector<std::string> words, const std::string& text) {
    CAPTURE(text);
    const Outcome outcome = run(std::move(words), flags);
    CHECK(outcome.code == 64);
    CHECK(outcome.err.find(text) != std::string::npos);
  };
  check({"biuld"}, "unknown command 'biuld'; did you mean 'build'?");
  check({}, "no command given; --help explains them: build, info");
  check({"build"}, "--store is required");
  check({"build", "--store", "s", "--size", "large"}, "--size");
  check({"info", "stray"}, "unexpected argument 'stray'");
}

TEST_CASE("a value of the wrong kind, and a flag given twice, say what it must be") {
  Flags flags;
  const Outcome letters = run({"build", "--store", "s", "--size", "abc"}, flags);
  CHECK(letters.code == 64);
  CHECK(letters.err.find("tool: --size is 'abc', must be a whole number\n") != std::string::npos);
  const Outcome twice = run({"build", "--store", "s", "--size", "1", "--size", "2"}, flags);
  CHECK(twice.code == 64);
  CHECK(twice.err.find("tool: --size is given more than once; give it once\n") !=
        std::string::npos);
}

TEST_CASE("help and version go to stdout with exit 0") {
  Flags flags;
  const Outcome help = run({"build", "--help"}, flags);
  CHECK(help.code == 0);
  CHECK(help.out.find("--store") != std::string::npos);
  CHECK(help.err.empty());
  CHECK(run({"--help"}, flags).out.find("what a store holds") != std::string::npos);
  CHECK(run({"--version"}, flags).out.rfind("tool ", 0) == 0);
}

TEST_CASE(
    "an Error is printed with program and command and gives its exit code; other exceptions are "
    "bugs") {
  Flags flags;
  const Outcome refused =
      run({"build", "--store", "s"}, flags, []() -> int { throw Error("s: held", Exit::busy); });
  CHECK(refused.code == 75);
  CHECK(refused.err == "tool build: s: held\n");
  const Outcome bug =
      run({"build", "--store", "s"}, flags, []() -> int { throw std::logic_error("row 7"); });
  CHECK(bug.code == 70);
  CHECK(bug.err.find("a bug of ours, please report it: row 7") != std::string::npos);
}

TEST_CASE("what the file system refuses is exit 74 with the path, no bug of ours") {
  const TempDir dir;
  const std::string file = dir.write("file", "").string();
  Flags flags;
  const Outcome refused = run({"build", "--store", "s"}, flags, [&] {
    return static_cast<int>(std::filesystem::file_size(file + "/a"));
  });
  CHECK(refused.code == 74);
  CHECK(refused.err == "tool build: " + file + "/a: cannot be examined: Not a directory\n");
}

TEST_CASE("a file over the limit of its size is an error of its call, no signal that kills") {
  Flags flags;
  CHECK(run({"build", "--store", "s"}, flags, [] { return std::raise(SIGXFSZ) + 3; }).code == 3);
}

TEST_CASE("the first signal is remembered for the work to look at") {
  Flags flags;
  CHECK(run({"build", "--store", "s"}, flags, [] {
          std::raise(SIGTERM);
          return 128 + stop_by_signal().signal();
        }).code == 143);
}

TEST_CASE("a signal that comes twice, as timeout(1) sends it, is one; a later one ends at once") {
  const pid_t child = fork();
  if (child == 0) {
    Flags flags;
    const auto stubborn = []() -> int {
      std::raise(SIGTERM);
      std::raise(SIGTERM);
      std::raise(SIGINT);
      const auto begun = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(1100)) continue;
      std::raise(SIGINT);
      return 3;
    };
    _exit(run({"build", "--store", "s"}, flags, stubborn).code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
}
