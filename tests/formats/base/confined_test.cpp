// What a process of its own may do, and what becomes of its result and of its end.
#include "letterpress/base/confined.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "tests/contains.h"
#include "tests/message_of.h"
#include "tests/scoped_variable.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

constexpr ConfinedLimits kLimits{.memory_bytes = 64 << 20, .result_bytes = 16 << 20, .seconds = 20};

std::string run(const std::function<std::string()>& work, const ConfinedLimits& limits = kLimits) {
  const ScopedVariable confined("LETTERPRESS_CONFINED", nullptr);  // or _exit() ends the tests
  return run_confined("a.h5", limits, work);
}
std::string told_of(const std::function<std::string()>& work,
                    const ConfinedLimits& limits = kLimits) {
  return message_of([&] { run(work, limits); });
}

// A file that was open before, and a name that is free.
struct OpenedBefore {
  TempDir dir;
  std::string there = dir.write("there", "a"), fresh = dir / "new";
  int descriptor = ::open(there.c_str(), O_RDWR);
  ~OpenedBefore() { ::close(descriptor); }
};

// A number that the compiler does not know to be one.
volatile int one = 1;

}  // namespace

TEST_CASE("the result comes back whole, and the caller's memory stays as it was") {
  CHECK(run([] { return std::string(); }).empty());
  const std::string large(9'000'000, 'x');
  int changed = 0;
  CHECK(run([&] { return ++changed, large + std::string(1, '\0') + "end"; }) ==
        large + std::string(1, '\0') + "end");
  CHECK(changed == 0);
}

TEST_CASE("an Error comes back with all of its parts, any other exception with its text") {
  const Error thrown({.where = "a.h5: /b", .what = "is cut", .fix = "copy it"},
                     Exit::configuration);
  try {
    run([&]() -> std::string { throw thrown; });
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message().where == "a.h5: /b");
    CHECK(error.message().what == "is cut");
    CHECK(error.message().fix == "copy it");
    CHECK(error.exit() == Exit::configuration);
  }
#if !defined(__SANITIZE_ADDRESS__)  // its looks at types need calls that the process may not make
  CHECK_THROWS_WITH_AS(run([]() -> std::string { throw std::logic_error("odd"); }), "odd",
                       std::runtime_error);
#endif
}

TEST_CASE("a process that dies is told by its signal, or that it ended without a result") {
  for (const int status : {0, 3})
    CHECK(told_of([&]() -> std::string { _exit(status); }) ==
          "65 a.h5: the process that read it did not return what it should; the file is damaged, "
          "copy it again");
  CHECK_CONTAINS(told_of([]() -> std::string { std::abort(); }), "died of signal 6 (Aborted); ");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(told_of([]() -> std::string {
          return std::string(1, *reinterpret_cast<volatile char*>(one));
        }) ==
        "65 a.h5: the process that read it died of signal 11 (Segmentation fault); the file "
        "is damaged, copy it again");
#endif
}

TEST_CASE("a result that is too long is not read") {
  const ConfinedLimits limits{.memory_bytes = 64 << 20, .result_bytes = 100, .seconds = 20};
  CHECK(run([] { return std::string(100, 'x'); }, limits).size() == 100);
  CHECK_CONTAINS(told_of([] { return std::string(9'000'000, 'x'); }, limits),
                 "did not return what it should");
  const std::string endless =
      told_of([]() -> std::string { throw Error(std::string(2 << 20, 'x')); });
  CHECK_CONTAINS(endless, "did not return what it should");
}

TEST_CASE("time without end and memory without bound are told") {
  CHECK(told_of(
            []() -> std::string {
              for (;;) one = 1;
            },
            {.memory_bytes = 64 << 20, .result_bytes = 100, .seconds = 1}) ==
        "65 a.h5: was not read after 1 seconds of processor time; the file is damaged, copy it "
        "again");
  // One that waits needs no processor.
  std::mutex never;
  never.lock();
  CHECK_CONTAINS(told_of(
                     [&]() -> std::string {
                       for (;;) never.lock();
                     },
                     {.memory_bytes = 64 << 20, .result_bytes = 100, .seconds = 0}),
                 "was not read after 0 seconds");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(told_of([] { return std::string(std::size_t{1} << 30, 'x'); }) ==
        "65 a.h5: needs more memory than a file of its size can; the file is damaged, copy it "
        "again");
#endif
}

TEST_CASE("no file and no socket is opened") {
  const OpenedBefore file;
  // Each call's name where it was not refused.
  const std::string opened = run([&] {
    std::string done;
    const auto attempt = [&](const char* name, long result) {
      if (result >= 0) done += std::string(name) + " ";
    };
    attempt("open", ::open(file.there.c_str(), O_RDONLY));
    attempt("create", ::open(file.fresh.c_str(), O_RDWR | O_CREAT, 0600));
    attempt("socket", ::socket(AF_UNIX, SOCK_STREAM, 0));
    attempt("write", ::write(file.descriptor, "b", 1));
    return done;
  });
  CHECK(opened.empty());
}

TEST_CASE("the filter leaves memory and the way back") {
  // Filtered, it may not even ask.
  if (run([] { return prctl(PR_GET_SECCOMP) == 0 ? "no filter" : ""; }) == "no filter") {
    MESSAGE("not shown: this machine has no filter of system calls");
    return;
  }
  const OpenedBefore file;
  const std::string filtered = run([&] {
    std::string done;
    const auto attempt = [&](const char* name, long result) {
      if (result >= 0 || errno != EPERM) done += std::string(name) + " ";
    };
    char byte = 'b';
    attempt("unlink", ::unlink(file.there.c_str()));
    attempt("rename", ::rename(file.there.c_str(), file.fresh.c_str()));
    attempt("fork", ::fork());
    attempt("kill", ::kill(::getppid(), 0));
    attempt("execve", ::execl("/bin/true", "true", nullptr));
    attempt("read", ::read(file.descriptor, &byte, 1));
    attempt("write", ::write(file.descriptor, &byte, 1));
    attempt("truncate", ::ftruncate(file.descriptor, 0));
    const auto map = [](int protection, int flags, int descriptor) {
      return mmap(nullptr, 4096, protection, flags, descriptor, 0) == MAP_FAILED ? -1L : 0L;
    };
    attempt("mmap of code", map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1));
    attempt("mmap of a file", map(PROT_READ, MAP_PRIVATE, file.descriptor));
    void* own = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) done += "no memory ";
    attempt("mprotect", mprotect(own, 4096, PROT_READ | PROT_EXEC));
    if (mprotect(own, 4096, PROT_READ) != 0) done += "no mprotect ";
    return done;
  });
  CHECK(filtered.empty());
  std::string text;
  std::ifstream(file.there) >> text;
  CHECK(text == "a");
}

TEST_CASE("LETTERPRESS_CONFINED=0 keeps the work in this process") {
  int changed = 0;
  const ScopedVariable here("LETTERPRESS_CONFINED", "0");
  CHECK(run_confined("a.h5", kLimits, [&] { return ++changed, std::string("a"); }) == "a");
  CHECK(changed == 1);
}
