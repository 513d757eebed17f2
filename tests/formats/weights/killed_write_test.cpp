#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "letterpress/base/fault_hook.h"
#include "letterpress/base/file.h"
#include "letterpress/weights/safetensors.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

constexpr int kArrays = 60;

void write(const std::filesystem::path& file, float value) {
  const std::vector<float> values(100, value);
  std::vector<ArrayView> arrays;
  for (int i = 0; i < kArrays; ++i)
    arrays.push_back(
        {"a" + std::to_string(i), DType::f32, {100}, std::as_bytes(std::span(values))});
  write_safetensors(file, arrays, {{"value", std::to_string(value)}});
}

// kill -9 just before the `moment`-th system call of writing; true when there is no such call.
bool survives(const std::filesystem::path& file, float value, int moment) {
  const pid_t child = fork();
  if (child == 0) {
    int calls = 0;
    set_fault_hook([&calls, moment](std::string_view, std::string_view) {
      if (++calls == moment) raise(SIGKILL);
      return 0;
    });
    write(file, value);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status);
}

}  // namespace

TEST_CASE(
    "kill -9 at any of more than 50 moments of writing leaves the old file or the new one, whole") {
  const TempDir dir;
  const std::filesystem::path file = dir / "last.safetensors";
  write(file, 1);
  const std::string old = read_file(file);
  write(dir / "new.safetensors", 2);
  const std::string wanted = read_file(dir / "new.safetensors");
  int moment = 1, replaced = 0;
  for (; !survives(file, 2, moment); ++moment) {
    CAPTURE(moment);
    const std::string found = read_file(file);
    const bool is_new = found == wanted;
    CHECK((is_new || found == old));
    CHECK(SafetensorsFile(file).arrays().size() == kArrays);
    replaced += is_new;
    if (is_new) replace_file(file, old);
  }
  CHECK(moment > 50);
  CHECK(replaced >= 1);      // after the rename, before its folder is made durable
  CHECK(replaced < moment);  // and before it the old one
  CHECK(read_file(file) == wanted);
  remove_temporary_files(dir.path());
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path()))
    ++files;
  CHECK(files == 2);
}
