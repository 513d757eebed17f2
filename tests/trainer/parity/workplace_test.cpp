#include "trainer/parity/workplace.h"

#include <doctest/doctest.h>

#include <chrono>

#include "tests/scoped_variable.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

/// As a process leaves it that is killed: no destructor, no lock held.
fs::path left_behind(const TempDir& dir, const char* name, std::chrono::minutes age) {
  const fs::path folder = dir / name;
  fs::create_directories(folder / "pictures");
  replace_file(folder / "lock", "");
  fs::last_write_time(folder / "lock", fs::file_time_type::clock::now() - age);
  return folder;
}

}  // namespace

TEST_CASE("a workplace is removed with what it holds, one in use and others' folders stay") {
  const TempDir dir;
  const ScopedVariable temporary("TMPDIR", dir.path().c_str());
  const fs::path other = left_behind(dir, "else-where", std::chrono::minutes(5));
  fs::path was;
  {
    const Workplace one;
    was = one.folder();
    fs::last_write_time(was / "lock", fs::file_time_type::clock::now() - std::chrono::hours(1));
    replace_file(one / "model.onnx", "bytes");
    const Workplace two;
    CHECK(fs::exists(one / "model.onnx"));
    CHECK(one.folder() != two.folder());
  }
  CHECK_FALSE(fs::exists(was));
  CHECK(fs::exists(other));
}

TEST_CASE("the workplace of a killed process is removed by the next one") {
  const TempDir dir;
  const ScopedVariable temporary("TMPDIR", dir.path().c_str());
  const fs::path old = left_behind(dir, "letterpress-parity-aaaaaa", std::chrono::minutes(5));
  const fs::path fresh = left_behind(dir, "letterpress-parity-bbbbbb", std::chrono::minutes(0));
  const fs::path linked = dir / "letterpress-parity-cccccc";
  fs::create_directory_symlink(left_behind(dir, "target", std::chrono::minutes(5)), linked);
  const Workplace next;
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(fresh));
  CHECK(fs::exists(linked / "lock"));
}

}  // namespace letterpress
