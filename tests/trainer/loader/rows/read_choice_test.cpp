#include "trainer/loader/rows/read_choice.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "letterpress/base/error.h"
#include "tests/scoped_variable.h"
#include "tests/skip.h"
#include "tests/trainer/loader/sample_store.h"

using namespace letterpress;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

ReadSetting small_and_local() {
  return {.file_system = "ext4", .local = true, .store_bytes = 2 * kGB, .memory_bytes = 20 * kGB};
}

}  // namespace

TEST_CASE("the choice follows from size, disk and what is needed, and says so") {
  ReadSetting setting = small_and_local();
  CHECK(to_string(choose_read(ReadBy::automatic, setting)) ==
        "rows are read by mmap: 2.00 GB of pixels stay in 20 GB of memory and are copied past the "
        "caches from there");
  setting.normalises = true;
  CHECK(to_string(choose_read(ReadBy::automatic, setting)) ==
        "rows are read by mmap: 2.00 GB of pixels stay in 20 GB of memory and are normalised in "
        "one pass from there");
  setting.local = false;
  setting.file_system = "nfs";
  CHECK(to_string(choose_read(ReadBy::automatic, setting)) ==
        "rows are read by pread: 2.00 GB of pixels stay in 20 GB of memory; nfs is not a local "
        "disk, so its files are not mapped");
  setting.normalises = false;
  CHECK(choose_read(ReadBy::automatic, setting).by == ReadBy::pread);
}

TEST_CASE("pixels that do not stay in memory are read directly, where that works") {
  ReadSetting setting = small_and_local();
  setting.store_bytes = 17 * kGB;  // more than four fifths
  setting.normalises = true;
  CHECK(to_string(choose_read(ReadBy::automatic, setting)) ==
        "rows are read by direct: 17 GB of pixels do not stay in 20 GB of memory");
  setting.no_direct = "io_uring: Operation not permitted";
  CHECK(to_string(choose_read(ReadBy::automatic, setting)) ==
        "rows are read by pread: 17 GB of pixels do not stay in 20 GB of memory; direct reads do "
        "not work: io_uring: Operation not permitted");
  setting.no_direct.clear();
  setting.local = false;
  setting.file_system = "nfs";
  CHECK(to_string(choose_read(ReadBy::automatic, setting)) ==
        "rows are read by pread: 17 GB of pixels do not stay in 20 GB of memory, and nfs is not a "
        "local disk");
}

TEST_CASE("each epoch reads from the disk when rows do not stay in memory, or are read directly") {
  ReadSetting setting = small_and_local();
  CHECK_FALSE(choose_read(ReadBy::automatic, setting).from_disk);
  CHECK_FALSE(choose_read(ReadBy::pread, setting).from_disk);
  CHECK(choose_read(ReadBy::direct, setting).from_disk);
  setting.store_bytes = 16 * kGB;  // four fifths
  CHECK_FALSE(choose_read(ReadBy::mmap, setting).from_disk);
  setting.store_bytes = 16 * kGB + 1;
  for (const ReadBy by : {ReadBy::automatic, ReadBy::pread, ReadBy::mmap})
    CHECK(choose_read(by, setting).from_disk);
}

TEST_CASE("pixels that are in memory already need no other memory") {
  ReadSetting setting = small_and_local();
  setting.file_system = "tmpfs";
  setting.is_memory = true;
  setting.store_bytes = 17 * kGB;
  setting.no_direct = "O_DIRECT: Invalid argument";
  CHECK(to_string(choose_read(ReadBy::automatic, setting)) ==
        "rows are read by mmap: 17 GB of pixels are in memory (tmpfs) and are copied past the "
        "caches from there");
  CHECK_FALSE(choose_read(ReadBy::pread, setting).from_disk);
}

TEST_CASE("an explicit choice is taken, or refused with the reason and a fix") {
  ReadSetting setting = small_and_local();
  setting.no_direct = "O_DIRECT: Invalid argument";
  for (const ReadBy by : {ReadBy::pread, ReadBy::mmap}) {
    CHECK(choose_read(by, setting).by == by);
    CHECK(choose_read(by, setting).reason == "as asked for");
  }
  CHECK_THROWS_WITH_AS(choose_read(ReadBy::direct, setting),
                       "rows cannot be read directly: O_DIRECT: Invalid argument; use --read pread",
                       Error);
}

TEST_CASE("compressed rows are read by pread, and by nothing else") {
  ReadSetting setting = small_and_local();
  setting.normalises = setting.compressed = true;
  CHECK(
      to_string(choose_read(ReadBy::automatic, setting)) ==
      "rows are read by pread: 2.00 GB of pixels, compressed: the reader threads decompress them");
  CHECK(choose_read(ReadBy::pread, setting).reason == "as asked for");
  for (const auto& [by, name] :
       {std::pair(ReadBy::mmap, "mmap"), std::pair(ReadBy::direct, "direct")}) {
    const std::string wanted = std::string("--read ") + name +
                               ": shards of this snapshot are compressed (build --compress "
                               "deflate), and only pread reads those; use --read "
                               "pread, or auto";
    CHECK_THROWS_WITH_AS(choose_read(by, setting), wanted.c_str(), Error);
  }
}

TEST_CASE("ways to read and times to verify have names") {
  CHECK(read_by_from("auto") == ReadBy::automatic);
  CHECK(read_by_from("direct") == ReadBy::direct);
  CHECK_THROWS_WITH_AS(read_by_from("fast"),
                       "--read is 'fast', must be auto, pread, mmap or direct", Error);
}

TEST_CASE("a store in memory is told from one on a disk" *
          doctest::test_suite("needs shared memory")) {
  if (::access("/dev/shm", W_OK) != 0) {
    skip("/dev/shm is not writable");
    return;
  }
  const ScopedVariable there("TMPDIR", "/dev/shm");
  const SampleStore store(2, 0);
  const ReadSetting setting = examine_reading(store.reader(), true);
  CHECK(setting.file_system == "tmpfs");  // shm_overview(7)
  CHECK(setting.is_memory);
  CHECK(setting.local);
  CHECK_FALSE(small_and_local().is_memory);
}

TEST_CASE("the examination counts the snapshot's pixels and finds memory for them") {
  const SampleStore store(5, 2);
  const ReadSetting setting = examine_reading(store.reader(), true);
  CHECK(setting.store_bytes == (5 + 5 * 2) * store.row_bytes());
  CHECK(setting.memory_bytes > 100'000'000);
  CHECK(setting.normalises);
  CHECK_FALSE(setting.file_system.empty());
}
