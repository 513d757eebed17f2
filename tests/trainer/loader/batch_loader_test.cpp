#include "trainer/loader/batch_loader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/batch_copy.h"
#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/batch_sequence.h"

using namespace letterpress;

namespace {

constexpr std::int64_t kNeverClean = std::numeric_limits<std::int64_t>::max();

bool pixels_are(const HostBatch& batch, std::size_t i, const RowPlace& place,
                std::int64_t row_bytes) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(row_bytes); ++k)
    if (batch.images[i * static_cast<std::size_t>(row_bytes) + k] !=
        sample_pixel(place.shard, place.row, k))
      return false;
  return true;
}

}  // namespace

TEST_CASE(
    "a batch holds the rows asked for: pixels, boxes and flags padded to the largest M, label, "
    "weight") {
  const SampleStore store(6, 2);
  const auto sequence = [](std::int64_t b) {
    return b == 0 ? std::vector<WantedRow>{{5, {0, 5}}, {3, {1, 7}}, {-1, {}}}
                  : std::vector<WantedRow>{};
  };
  BatchLoader loader(store.reader(), sequence, 0, {.batch = 4});
  const HostBatch* batch = loader.next();
  REQUIRE(batch != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(batch->images) % 4096 == 0);
  CHECK(batch->samples == std::vector<std::int64_t>{5, 3, -1});
  CHECK(batch->rows == std::vector<RowPlace>{{0, 5}, {1, 7}, {}});
  CHECK(batch->label == std::vector<std::int64_t>{15, 17, -1});
  CHECK(batch->weight == std::vector<float>{1, 1, 0});
  CHECK(pixels_are(*batch, 0, {0, 5}, store.row_bytes()));
  CHECK(pixels_are(*batch, 1, {1, 7}, store.row_bytes()));
  for (std::int64_t k = 0; k < store.row_bytes(); ++k)
    REQUIRE(batch->images[2 * store.row_bytes() + k] == 114);
  REQUIRE(batch->boxes.size() == 3 * 16 * 5);
  REQUIRE(batch->flags.size() == 3 * 16);
  // row 5 of shard 0 has 1 box of class 2, row 7 of shard 1 has 3 of class 1, padding has none
  const std::size_t boxes[] = {1, 3, 0};
  const float classes[] = {2, 1, -1};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t m = 0; m < 16; ++m) {
      const bool used = m < boxes[i];
      const std::vector<float> expected =
          used ? std::vector<float>{1, 2, 3, 4, classes[i]} : std::vector<float>{0, 0, 0, 0, -1};
      const auto at = batch->boxes.begin() + static_cast<std::ptrdiff_t>((i * 16 + m) * 5);
      CHECK(std::vector<float>(at, at + 5) == expected);
      CHECK(batch->flags[i * 16 + m] == (used && m == 0 ? kCrowd : 0));
    }
  CHECK(loader.next() == nullptr);
  CHECK(loader.next() == nullptr);
}

TEST_CASE("1 and N threads, few and many buffers give the same batches") {
  const SampleStore store(23, 3);
  const auto sequence = training_sequence(
      store.train(), {.seed = 5, .global_batch = 7, .first_clean_epoch = 3}, 0, 1);
  std::vector<Copy> expected;
  for (const auto& [threads, buffers] : {std::pair{1, 2}, {2, 3}, {5, 2}, {8, 9}}) {
    CAPTURE(threads);
    BatchLoader loader(store.reader(), sequence, 0,
                       {.batch = 7, .threads = threads, .buffers = buffers});
    for (std::size_t b = 0; b < 40; ++b) {
      const Copy got = copy(*loader.next(), store.row_bytes());
      if (threads == 1) expected.push_back(got);
      REQUIRE(got == expected[b]);
    }
  }
  // and they are those of the sequence
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const auto wants = sequence(static_cast<std::int64_t>(b));
    for (std::size_t i = 0; i < wants.size(); ++i) {
      REQUIRE(expected[b].rest.rows[i] == wants[i].row);
      HostBatch view = expected[b].rest;
      view.images = expected[b].images.data();
      REQUIRE(pixels_are(view, i, wants[i].row, store.row_bytes()));
    }
  }
}

TEST_CASE("a loader that starts at batch 11 continues where another stopped") {
  const SampleStore store(10, 2);
  const auto sequence = training_sequence(
      store.train(), {.seed = 5, .global_batch = 4, .first_clean_epoch = kNeverClean}, 0, 1);
  BatchLoader whole(store.reader(), sequence, 0, {.batch = 4}),
      resumed(store.reader(), sequence, 11, {.batch = 4});
  for (int b = 0; b < 11; ++b) whole.next();
  for (int b = 0; b < 5; ++b)
    CHECK(copy(*whole.next(), store.row_bytes()) == copy(*resumed.next(), store.row_bytes()));
}

TEST_CASE("validation reads every picture once and pads with weight 0") {
  const SampleStore store(10, 2);
  BatchLoader loader(store.reader(), validation_sequence(store.train(), 4, 0, 1), 0,
                     {.batch = 4, .threads = 3});
  std::multiset<std::int64_t> seen;
  int batches = 0;
  float weight = 0;
  while (const HostBatch* batch = loader.next()) {
    ++batches;
    CHECK(batch->samples.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      weight += batch->weight[i];
      CHECK((batch->weight[i] == 0) == (batch->samples[i] < 0));
      if (batch->samples[i] >= 0) seen.insert(batch->samples[i]);
    }
  }
  CHECK(batches == 3);
  CHECK(weight == 10);
  CHECK(seen == std::multiset<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("image memory is taken once from the allocator, and given back at the end") {
  const SampleStore store(10, 0);
  std::vector<std::size_t> asked;
  int released = 0;
  std::set<const std::uint8_t*> used;
  {
    BatchLoader loader(
        store.reader(),
        training_sequence(store.train(), {.seed = 5, .global_batch = 4, .first_clean_epoch = 0}, 0,
                          1),
        0,
        {.batch = 4,
         .buffers = 3,
         .allocate =
             [&](std::size_t bytes) {
               asked.push_back(bytes);
               return std::aligned_alloc(64, bytes);
             },
         .release =
             [&](void* memory) {
               ++released;
               std::free(memory);
             }});
    for (int b = 0; b < 50; ++b) used.insert(loader.next()->images);
    CHECK(released == 0);
  }
  CHECK(asked == std::vector<std::size_t>(3, static_cast<std::size_t>(4 * store.row_bytes())));
  CHECK(used.size() == 3);
  CHECK(released == 3);
}

TEST_CASE("the rows of one batch are read by several threads at the same time") {
  const SampleStore store(4, 0);
  std::mutex mutex;
  std::condition_variable both;
  int inside = 0;
  // Each reader waits until another one is inside too; alone it would wait until the deadline.
  const auto meet = [&](const RowPlace&) {
    std::unique_lock lock(mutex);
    ++inside;
    both.notify_all();
    if (!both.wait_for(lock, std::chrono::seconds(20), [&] { return inside >= 2; }))
      throw Error("the other reader did not come");
  };
  const auto one_batch = [](std::int64_t b) {
    return b == 0 ? std::vector<WantedRow>{{0, {0, 0}}, {1, {0, 1}}} : std::vector<WantedRow>{};
  };
  BatchLoader loader(store.reader(), one_batch, 0, {.batch = 2, .threads = 2, .before_read = meet});
  CHECK(loader.next() != nullptr);
}

TEST_CASE("a loader that is destroyed midway stops at once, wherever its readers are") {
  const SampleStore store(10, 2);
  const auto sequence = training_sequence(
      store.train(), {.seed = 5, .global_batch = 4, .first_clean_epoch = kNeverClean}, 0, 1);
  for (int taken = 0; taken < 60; ++taken) {
    BatchLoader loader(store.reader(), sequence, 0,
                       {.batch = 4, .threads = 1 + taken % 4, .buffers = 2 + taken % 3});
    for (int b = 0; b < taken % 7; ++b) CHECK(loader.next() != nullptr);
  }
}

TEST_CASE("options out of range are refused with the range") {
  const SampleStore store(2, 0);
  const auto sequence = validation_sequence(store.train(), 2, 0, 1);
  const auto refused = [&](const LoaderOptions& options, const char* message) {
    CHECK_THROWS_WITH_AS(BatchLoader(store.reader(), sequence, 0, options), message, Error);
  };
  refused({.batch = 0}, "batch loader: batch is 0, must be 1 or more");
  refused({.threads = -1}, "batch loader: threads is -1, must be 0 (min(4, cores)) or more");
  refused({.buffers = 1},
          "batch loader: buffers is 1, must be 2 or more: one is read while one is used");
  refused({.deadline_s = 0}, "batch loader: deadline_s is 0, must be more than 0");
  refused({.allocate = [](std::size_t) -> void* { return nullptr; }},
          "batch loader: allocate and release must be given together or not at all");
  refused({.batch = 2,
           .allocate = [](std::size_t) -> void* { return nullptr; },
           .release = [](void*) {}},
          "no memory for a batch of 2 rows, 6144 bytes; give smaller batches, or fewer buffers");
}
