#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "letterpress/base/file.h"
#include "letterpress/hdf5/hdf5.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

// What the work writes to stderr, by descriptor: HDF5 is a C library.
template <class Work>
std::string printed_by(Work work) {
  TempDir dir;
  const fs::path log = dir.write("stderr", "");
  const int saved = dup(2), target = open(log.c_str(), O_WRONLY);
  dup2(target, 2);
  work();
  dup2(saved, 2);
  close(saved);
  close(target);
  return read_file(log);
}

// A limit of this process; restored at the end.
class Limit {
 public:
  Limit(int what, rlim_t value) : what_(what) {
    getrlimit(what, &before_);
    const rlimit limit{value, before_.rlim_max};
    setrlimit(what, &limit);
  }
  ~Limit() { setrlimit(what_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  int what_;
  rlimit before_{};
};

}  // namespace

TEST_CASE("messages hold HDF5's reason, and HDF5 itself prints nothing") {
  TempDir dir;
  dir.write("text.h5", "this is not an HDF5 file");
  std::string message, from_thread;
  const auto open_text = [&](std::string& told) {
    try {
      hdf5::open_file(dir / "text.h5");
    } catch (const Error& error) {
      told = error.what();
    }
  };
  const std::string printed = printed_by([&] {
    open_text(message);
    std::jthread([&] { open_text(from_thread); }).join();
  });
  CHECK(printed.empty());
  CHECK(
      message.ends_with("text.h5: not a readable HDF5 file (HDF5: file signature not found); "
                        "restore or rebuild this file"));
  CHECK(from_thread == message);
}

TEST_CASE("a file that cannot be created says where and why") {
  TempDir dir;
  CHECK_THROWS_WITH_AS(
      hdf5::create_file(dir / "none/a.h5"),
      doctest::Contains(
          "none/a.h5: cannot be created as an HDF5 file: HDF5: No such file or directory"),
      Error);
}

TEST_CASE("a write that the system refuses is exit 74 with its reason and what to do") {
  const TempDir dir;
  const auto before = signal(SIGXFSZ, SIG_IGN);
  std::string message;
  {
    const Limit small(RLIMIT_FSIZE, 8192);
    message = message_of([&] {
      hdf5::File file = hdf5::create_file(dir / "a.h5");
      hdf5::write_column<float>(file, "column", std::vector<float>(10'000));
      hdf5::close_file(std::move(file));
    });
  }
  signal(SIGXFSZ, before);
  CHECK(message.starts_with("74 " + (dir / "a.h5").string() + ": "));
  CHECK_MESSAGE(
      message.ends_with(": HDF5: File too large; raise the limit of a file's size (ulimit -f)"),
      message);
}

TEST_CASE("a last write that fails is told: without it the file says that it is being written") {
  const TempDir dir;
  const fs::path path = dir / "a.h5";
  hdf5::File file = hdf5::create_file(path);
  hdf5::write_column<float>(file, "column", std::vector<float>(10));
  REQUIRE(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone) != path) continue;
    const int to_read = open(path.c_str(), O_RDONLY);
    dup2(to_read, std::stoi(entry.path().filename().string()));
    close(to_read);
    break;
  }
  const std::string message = message_of([&] { hdf5::close_file(std::move(file)); });
  CHECK_MESSAGE(message.starts_with("74 " + path.string() + ": cannot be written"), message);
}

TEST_CASE("a file that cannot be opened for want of descriptors is not taken for a damaged one") {
  const TempDir dir;
  hdf5::close_file(hdf5::create_file(dir / "a.h5"));
  const Limit none(RLIMIT_NOFILE, 3);
  CHECK(message_of([&] { hdf5::open_file(dir / "a.h5"); }) ==
        "74 " + (dir / "a.h5").string() +
            ": not a readable HDF5 file: HDF5: Too many open files; raise the limit of open files "
            "(ulimit -n)");
}
