#include "trainer/parity/run_to_end.h"

#include <doctest/doctest.h>

#include <csignal>

#include "tests/message_of.h"
#include "tests/scoped_variable.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

std::optional<EndedProgram> shell(const TempDir& dir, const std::string& text,
                                  const StopRequest& stop = {}) {
  return run_to_end({"sh", "-c", text}, dir.path(), stop);
}

}  // namespace

TEST_CASE("a program's exit code and all that it said are told") {
  TempDir dir;
  const auto ended = shell(dir, "echo one; echo two >&2; cat; exit 3");  // nothing on its stdin
  REQUIRE(ended);
  CHECK(ended->exit_code == 3);
  CHECK(ended->out == "one\n");
  CHECK(ended->err == "two\n");
  CHECK(shell(dir, "kill -TERM $$")->exit_code == 128 + SIGTERM);
}

TEST_CASE("a program's temporary files go to its folder, whatever this one's TMPDIR is") {
  TempDir dir;
  const ScopedVariable elsewhere("TMPDIR", "/nowhere");
  CHECK(shell(dir, "echo $TMPDIR; env | grep -c ^TMPDIR=")->out == dir.path().string() + "\n1\n");
}

TEST_CASE("a program that is not there is said") {
  TempDir dir;
  CHECK(message_of([&] { run_to_end({"/nowhere/program"}, dir.path(), {}); }) ==
        "78 /nowhere/program: cannot be started: No such file or directory; name a program that "
        "is there");
}

TEST_CASE("a program is killed when a stop is asked for, with what it started") {
  TempDir dir;
  StopRequest stop;
  stop.make(SIGTERM);
  CHECK_FALSE(shell(dir, "trap '' TERM; sleep 600 & wait; sleep 600", stop));
}

}  // namespace letterpress
