#include "trainer/loader/rows/row_source.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/row_order.h"
#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/rows/bus_error.h"
#include "trainer/loader/rows/direct_source.h"

using namespace letterpress;

namespace {

/// Those that work here: a tmpfs has no direct reads, a container may forbid io_uring.
std::vector<ReadBy> ways(const SampleStore& store) {
  std::vector<ReadBy> ways{ReadBy::pread, ReadBy::mmap};
  if (why_no_direct_reads(store.shard_path(0)).empty())
    ways.push_back(ReadBy::direct);
  else
    MESSAGE("no direct reads: " << why_no_direct_reads(store.shard_path(0)));
  return ways;
}

}  // namespace

TEST_CASE("a shard that is gone is no reason to read in another way") {
  CHECK_THROWS_WITH_AS(why_no_direct_reads("/absent"), doctest::Contains("/absent: "), Error);
}

TEST_CASE("each way of reading gives each row's bytes, in any order, with any number of threads") {
  const SampleStore store(21, 2,
                          96);  // rows of 27,648 bytes: they do not begin on a block of the disk
  const std::vector<RowPlace> places = jumping_rows();
  const auto row_bytes = static_cast<std::size_t>(store.row_bytes());
  for (const ReadBy by : ways(store)) {
    for (const int threads : {1, 5}) {
      CAPTURE(kReadNames[static_cast<std::size_t>(by)]);
      BatchLoader loader(store.reader(), rows_in_turn(places, 8), 0,
                         {.batch = 8, .threads = threads, .read = by});
      CHECK(loader.read_choice().by == by);
      std::size_t seen = 0;
      while (const HostBatch* batch = loader.next()) {
        for (std::size_t i = 0; i < batch->rows.size(); ++i, ++seen) {
          REQUIRE(batch->rows[i] == places[seen]);
          for (std::size_t k = 0; k < row_bytes; ++k)
            REQUIRE(batch->images[i * row_bytes + k] ==
                    sample_pixel(places[seen].shard, places[seen].row, k));
        }
      }
      CHECK(seen == places.size());
    }
  }
}

TEST_CASE("pixels that are smaller than a page, and so begin anywhere, are mapped too") {
  const SampleStore store(1, 0);
  REQUIRE(store.reader().shard(0).stored_pixels(0).offset % 4096 != 0);
  BatchLoader loader(store.reader(), rows_in_turn({{0, 0}}, 1), 0,
                     {.batch = 1, .read = ReadBy::mmap});
  const HostBatch* const batch = loader.next();
  for (std::size_t k = 0; k < static_cast<std::size_t>(store.row_bytes()); ++k)
    REQUIRE(batch->images[k] == sample_pixel(0, 0, k));
}

TEST_CASE("numbers are the bytes / 255 by each way of reading; padding is grey") {
  const SampleStore store(3, 0, 64);
  const auto sequence = [](std::int64_t b) {
    return b == 0 ? std::vector<WantedRow>{{2, {0, 2}}, {-1, {}}, {1, {0, 1}}}
                  : std::vector<WantedRow>{};
  };
  const auto n = static_cast<std::size_t>(store.row_bytes());
  for (const ReadBy by : ways(store)) {
    BatchLoader loader(store.reader(), sequence, 0,
                       {.batch = 3, .pixels = PixelType::float32, .read = by});
    CHECK(loader.shape().pixels == PixelType::float32);
    const HostBatch* batch = loader.next();
    const auto* const numbers = reinterpret_cast<const float*>(batch->images);
    for (std::size_t k = 0; k < n; ++k) {
      REQUIRE(numbers[k] == static_cast<float>(sample_pixel(0, 2, k)) / 255.0F);
      REQUIRE(numbers[n + k] == 114.0F / 255.0F);
      REQUIRE(numbers[2 * n + k] == static_cast<float>(sample_pixel(0, 1, k)) / 255.0F);
    }
  }
}

TEST_CASE("a damaged row is found by each way of reading") {
  const SampleStore store(6, 0);
  store.damage(0, 4);
  for (const ReadBy by : ways(store)) {
    for (const PixelType pixels : {PixelType::bytes, PixelType::bfloat16}) {
      BatchLoader loader(store.reader(), rows_in_turn({{0, 3}, {0, 4}, {0, 5}}, 1), 0,
                         {.batch = 1, .pixels = pixels, .read = by});
      CHECK(loader.next() != nullptr);
      CHECK_THROWS_WITH_AS(
          loader.next(),
          doctest::Contains((store.shard_path(0).string() + ": row 4 (p4.jpg) is damaged").c_str()),
          Error);
    }
  }
}

TEST_CASE(
    "a shard that was cut after it was opened is an error with shard and row, whether it is read, "
    "mapped or read directly") {
  const SampleStore made(1, 0);
  for (const ReadBy by : ways(made)) {
    CAPTURE(kReadNames[static_cast<std::size_t>(by)]);
    const SampleStore store(10, 0, 128);  // rows of 12 pages
    store.cut(0, 4, 4096);
    BatchLoader loader(store.reader(), rows_in_turn({{0, 3}, {0, 4}, {0, 5}}, 1), 0,
                       {.batch = 1, .read = by});
    CHECK(loader.next() != nullptr);
    const std::string wanted = store.shard_path(0).string() +
                               ": row 4 (p4.jpg): cut short, 4096 of 49152 bytes are there; did "
                               "the file change since it was opened? run "
                               "`letterpress-preprocess verify`";
    for (int again = 0; again < 2; ++again)
      CHECK_THROWS_WITH_AS(loader.next(), wanted.c_str(), Error);
  }
}

TEST_CASE("a loader that ends with pending reads waits for them") {
  const SampleStore store(40, 0, 64);
  std::vector<RowPlace> places(40);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = {0, static_cast<std::int64_t>(i)};
  for (const ReadBy by : ways(store)) {
    for (int run = 0; run < 10; ++run) {
      BatchLoader loader(store.reader(), rows_in_turn(places, 4), 0,
                         {.batch = 4, .threads = 3, .buffers = 6, .read = by});
      if (run % 2 == 0) CHECK(loader.next() != nullptr);
    }
  }
}

TEST_CASE("a bus error elsewhere ends the program as before") {
  const TempDir dir;
  std::ofstream(dir / "page") << std::string(4096, 'x');
  const int descriptor = ::open((dir / "page").c_str(), O_RDWR);
  const auto* const page =
      static_cast<const std::uint8_t*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, descriptor, 0));
  REQUIRE(::ftruncate(descriptor, 0) == 0);
  const auto touch = [page] { return *static_cast<const volatile std::uint8_t*>(page); };
  CHECK_FALSE(without_bus_error({page, 4096}, touch));
  CHECK(without_bus_error({page, 4096}, [] {}));
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint8_t other = 0;
    without_bus_error({&other, 1}, touch);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGBUS);
  ::munmap(const_cast<std::uint8_t*>(page), 4096);
  ::close(descriptor);
}
