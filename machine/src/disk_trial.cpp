#include "letterpress/machine/disk_trial.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kTrialBytes = std::int64_t{64} << 20, kBlockBytes = std::int64_t{1} << 20;
constexpr std::size_t kDirectAlignment = 4096;

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

std::unique_ptr<std::byte, Free> block() {
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kDirectAlignment, kBlockBytes));
  for (std::int64_t i = 0; i < kBlockBytes; ++i) memory[i] = static_cast<std::byte>(i * i >> 7);
  return std::unique_ptr<std::byte, Free>(memory);
}

template <class Transfer>  // a block at an offset -> bytes
bool transfer_all(std::int64_t bytes, Transfer transfer) {
  for (std::int64_t at = 0; at < bytes; at += kBlockBytes) {
    if (transfer(at) != kBlockBytes) return false;
  }
  return true;
}

double rate_of_writing(int file, std::int64_t bytes) {
  const auto content = block();
  const Clock::time_point start = Clock::now();
  const bool whole = transfer_all(
      bytes, [&](std::int64_t at) { return ::pwrite(file, content.get(), kBlockBytes, at); });
  if (!whole || ::fdatasync(file) != 0) return 0;
  return static_cast<double>(bytes) / seconds_since(start);
}

// As a build does it: a lock, a file under a name that is free, a file in another's place.
void publish_in(const fs::path& folder) {
  const FileLock lock(folder / "lock");
  if (!write_new_file(folder / "new", "new", folder))
    throw Error({.where = folder.string(), .what = "a file that was not there is taken"});
  replace_file(folder / "replaced", "first");
  replace_file(folder / "replaced", "second");
}

void try_in(const fs::path& folder, DiskTrial& trial) {
  publish_in(folder);
  const File file = File::create(folder / "trial");
  trial.written_per_s = rate_of_writing(file.descriptor(), kTrialBytes);
  trial.read_per_s = read_per_s(file.path());
}

}  // namespace

DiskTrial try_disk(const fs::path& folder) {
  DiskTrial trial;
  fs::path own;
  try {
    trial.bytes_free = free_bytes(folder);
    if (trial.bytes_free < 4 * kTrialBytes)
      throw Error({.where = folder.string(),
                   .what = "its disk has " + std::to_string(trial.bytes_free >> 20) + " MiB free",
                   .fix = "make room, or put the store on another disk"});
    own = make_unique_folder(folder, ".letterpress-doctor-");
    try_in(own, trial);
  } catch (const Error& error) {
    trial.fault = error.what();
  }
  if (!own.empty()) discard_folder(own);
  return trial;
}

double read_per_s(const fs::path& name) {
  const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  if (file < 0) return 0;
  const std::int64_t bytes =
      std::min<std::int64_t>(::lseek(file, 0, SEEK_END), kTrialBytes) / kBlockBytes * kBlockBytes;
  const auto content = block();
  const Clock::time_point start = Clock::now();
  const bool whole = transfer_all(
      bytes, [&](std::int64_t at) { return ::pread(file, content.get(), kBlockBytes, at); });
  ::close(file);
  return whole ? static_cast<double>(bytes) / seconds_since(start) : 0;
}

// Not by base/file.h: this file is to have no name, at no time.
double written_per_s(const fs::path& folder, std::int64_t bytes) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  const double result = rate_of_writing(file, bytes);
  ::close(file);
  return result;
}

}  // namespace letterpress
