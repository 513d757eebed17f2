#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/row_order.h"
#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/batch_loader.h"

using namespace letterpress;

namespace {

constexpr std::size_t kRowsOfBatch = 8;

}  // namespace

// Rows of 27,648 bytes are inflated where they are wanted; of 196,608 bytes, more than a piece of
// the sink, elsewhere when they are hashed.
TEST_CASE("compressed rows give the same bytes, with any number of threads, hashed or not") {
  for (const int side : {96, 256}) {
    const SampleStore store(21, 2, side, Compression::deflate);
    const auto row_bytes = static_cast<std::size_t>(store.row_bytes());
    for (const int threads : {1, 5}) {
      for (const VerifyRows verify : {VerifyRows::never, VerifyRows::always}) {
        CAPTURE(side);
        CAPTURE(threads);
        const LoaderOptions options{.batch = kRowsOfBatch, .threads = threads, .verify = verify};
        BatchLoader loader(store.reader(), rows_in_turn(jumping_rows(), kRowsOfBatch), 0, options);
        CHECK(loader.read_choice().by == ReadBy::pread);
        std::size_t seen = 0;
        while (const HostBatch* batch = loader.next()) {
          for (std::size_t i = 0; i < batch->rows.size(); ++i, ++seen) {
            REQUIRE(batch->rows[i] == jumping_rows()[seen]);
            for (std::size_t k = 0; k < row_bytes; k += 7)
              REQUIRE(batch->images[i * row_bytes + k] ==
                      sample_pixel(batch->rows[i].shard, batch->rows[i].row, k));
          }
        }
        CHECK(seen == 63);
      }
    }
  }
}

TEST_CASE("compressed rows are normalised like others; padding is grey") {
  for (const int side : {64, 256}) {
    const SampleStore store(3, 0, side, Compression::deflate);
    const auto sequence = [](std::int64_t b) {
      return b == 0 ? std::vector<WantedRow>{{2, {0, 2}}, {-1, {}}} : std::vector<WantedRow>{};
    };
    const auto n = static_cast<std::size_t>(store.row_bytes());
    BatchLoader loader(store.reader(), sequence, 0, {.batch = 2, .pixels = PixelType::float32});
    const auto* const numbers = reinterpret_cast<const float*>(loader.next()->images);
    for (std::size_t k = 0; k < n; ++k) {
      REQUIRE(numbers[k] == static_cast<float>(sample_pixel(0, 2, k)) / 255.0F);
      REQUIRE(numbers[n + k] == 114.0F / 255.0F);
    }
  }
}

TEST_CASE(
    "a damaged compressed row is an error with shard and row, whether or not rows are verified; "
    "those before it are delivered") {
  const SampleStore store(6, 0, 64, Compression::deflate);
  store.damage(0, 4);
  const std::string wanted = store.shard_path(0).string() +
                             ": row 4 (p4.jpg) is damaged: its compressed pixels cannot be "
                             "decompressed; restore it from a copy, or remove "
                             "it and run `letterpress-preprocess build` again";
  for (const VerifyRows verify : {VerifyRows::first, VerifyRows::never}) {
    BatchLoader loader(store.reader(), rows_in_turn({{0, 3}, {0, 4}, {0, 5}}, 1), 0,
                       {.batch = 1, .verify = verify});
    CHECK(loader.next() != nullptr);
    CHECK_THROWS_WITH_AS(loader.next(), wanted.c_str(), Error);
  }
}

TEST_CASE(
    "a compressed shard that was cut after it was opened is an error with shard, row and the bytes "
    "that are there") {
  const SampleStore store(10, 0, 128, Compression::deflate);
  store.cut(0, 4, 100);
  const std::string stored = std::to_string(store.reader().shard(0).stored_pixels(4).bytes);
  BatchLoader loader(store.reader(), rows_in_turn({{0, 3}, {0, 4}}, 1), 0, {.batch = 1});
  CHECK(loader.next() != nullptr);
  CHECK_THROWS_WITH_AS(
      loader.next(),
      (store.shard_path(0).string() + ": row 4 (p4.jpg): cut short, 100 of " + stored +
       " bytes are there; did the file change since it was opened? run `letterpress-preprocess "
       "verify`")
          .c_str(),
      Error);
}

TEST_CASE("mapping a compressed store or reading it directly is refused with a fix") {
  const SampleStore store(2, 0, 32, Compression::deflate);
  CHECK_THROWS_WITH_AS(
      BatchLoader(store.reader(), rows_in_turn({{0, 0}}, 1), 0, {.batch = 1, .read = ReadBy::mmap}),
      doctest::Contains(
          "--read mmap: shards of this snapshot are compressed (build --compress deflate)"),
      Error);
}
