#include "trainer/loader/batch_sequence.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/sequence_case.h"

using namespace letterpress;

TEST_CASE(
    "views by hand: view 1 + (picture_id + epoch) mod K, clean from the first clean epoch on and "
    "without views") {
  PictureRows picture{10, 0, {0, 5}, {{1, 0}, {1, 1}, {1, 2}, {1, 3}}};
  CHECK(row_of(picture, 0, 8) == RowPlace{1, 2});  // 10 mod 4 = 2: view 3
  CHECK(row_of(picture, 1, 8) == RowPlace{1, 3});
  CHECK(row_of(picture, 2, 8) == RowPlace{1, 0});
  CHECK(row_of(picture, 7, 8) == RowPlace{1, 1});
  CHECK(row_of(picture, 8, 8) == RowPlace{0, 5});
  CHECK(row_of(picture, 9, 8) == RowPlace{0, 5});
  picture.augmented.clear();
  CHECK(row_of(picture, 0, 8) == RowPlace{0, 5});
}

TEST_CASE("the largest picture id sees its views in turn") {
  const PictureRows picture{
      std::numeric_limits<std::uint64_t>::max(), 0, {0, 0}, {{1, 0}, {1, 1}, {1, 2}}};
  // 2^64 - 1 = 3 * 6148914691236517205
  for (std::int64_t epoch = 0; epoch < 9; ++epoch)
    CHECK(row_of(picture, epoch, kNoCleanEpoch) == RowPlace{1, epoch % 3});
}

TEST_CASE(
    "the ranks' slices in order are the batch of one rank, also when the world size does not "
    "divide it") {
  const auto all = pictures(13, 3);
  const auto whole =
      training_sequence(all, {.seed = 1, .global_batch = 7, .first_clean_epoch = 2}, 0, 1);
  for (const int ranks : {2, 3, 5, 7})
    for (std::int64_t b = 0; b < 10; ++b) {
      Wants joined;
      for (int rank = 0; rank < ranks; ++rank) {
        const Wants slice = training_sequence(
            all, {.seed = 1, .global_batch = 7, .first_clean_epoch = 2}, rank, ranks)(b);
        CHECK((slice.size() == 7U / static_cast<unsigned>(ranks) ||
               slice.size() == 7U / static_cast<unsigned>(ranks) + 1));
        CHECK(rows_of_rank(7, rank, ranks) == static_cast<std::int64_t>(slice.size()));
        CHECK(first_row_of_rank(7, rank, ranks) == static_cast<std::int64_t>(joined.size()));
        joined = joined + slice;
      }
      CHECK(flat(joined) == flat(whole(b)));
      CHECK(joined.size() == 7);
    }
}

TEST_CASE(
    "each sample occurs exactly once per epoch, with the view of that epoch, for 1, 2 and 3 "
    "ranks") {
  const auto all = pictures(13, 3);
  for (const int ranks : {1, 2, 3}) {
    CAPTURE(ranks);
    std::map<std::int64_t, int> drawn;                          // by sample
    std::map<std::pair<std::int32_t, std::int64_t>, int> rows;  // by place
    for (std::int64_t b = 0; b < 13; ++b)  // 13 batches of 6 = 6 epochs of 13, of which 3 clean
      for (int rank = 0; rank < ranks; ++rank)
        for (const auto& want : training_sequence(
                 all, {.seed = 9, .global_batch = 6, .first_clean_epoch = 3}, rank, ranks)(b)) {
          ++drawn[want.sample];
          ++rows[{want.row.shard, want.row.row}];
        }
    CHECK(drawn.size() == 13);
    for (const auto& [sample, times] : drawn) CHECK(times == 6);
    CHECK(rows.size() == 13 * 4);
    for (const auto& [row, times] : rows) CHECK(times == (row.first == 0 ? 3 : 1));
  }
}

TEST_CASE("another world size continues at the same position") {
  const auto all = pictures(11, 2);
  const auto whole = training_sequence(
      all, {.seed = 4, .global_batch = 6, .first_clean_epoch = kNoCleanEpoch}, 0, 1);
  for (std::int64_t b = 0; b < 8; ++b) {
    const int ranks = b < 4 ? 2 : 3;
    Wants joined;
    for (int rank = 0; rank < ranks; ++rank)
      joined = joined + training_sequence(
                            all, {.seed = 4, .global_batch = 6, .first_clean_epoch = kNoCleanEpoch},
                            rank, ranks)(b);
    CHECK(flat(joined) == flat(whole(b)));
  }
}

TEST_CASE(
    "validation reads view 0 of each picture once; the last batch is padded and all ranks have "
    "equally many batches") {
  const auto all = pictures(11, 2);
  for (const int ranks : {1, 2, 3, 4}) {
    CAPTURE(ranks);
    std::map<std::int64_t, int> seen;
    std::vector<std::int64_t> batches;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto sequence = validation_sequence(all, 4, rank, ranks);
      std::int64_t b = 0;
      for (; !sequence(b).empty(); ++b) {
        CHECK(sequence(b).size() == 4);
        for (const auto& want : sequence(b)) {
          if (want.sample < 0) continue;
          CHECK(want.row == RowPlace{0, want.sample});
          ++seen[want.sample];
        }
      }
      CHECK(sequence(b + 5).empty());
      batches.push_back(b);
    }
    CHECK(seen.size() == 11);
    for (const auto& [sample, times] : seen) CHECK(times == 1);
    const std::int64_t expected[] = {3, 2, 1, 1};
    CHECK(batches ==
          std::vector<std::int64_t>(static_cast<std::size_t>(ranks), expected[ranks - 1]));
  }
}

TEST_CASE("validation of two ranks by hand") {
  const auto sequence = validation_sequence(pictures(7, 0), 2, 1, 2);  // rank 1 has 1 3 5
  CHECK(flat(sequence(0)) == flat({{1, {0, 1}}, {3, {0, 3}}}));
  CHECK(flat(sequence(1)) == flat({{5, {0, 5}}, {-1, {}}}));
  CHECK(sequence(2).empty());
  CHECK(validation_sequence({}, 2, 0, 1)(0).empty());
}

TEST_CASE("the micro-batches in order are the batch") {
  const auto all = pictures(13, 3);
  const auto whole =
      training_sequence(all, {.seed = 1, .global_batch = 8, .first_clean_epoch = 2}, 0, 1);
  for (const int parts : {1, 2, 3}) {
    const auto cut = micro_batches(
        training_sequence(all, {.seed = 1, .global_batch = 8, .first_clean_epoch = 2}, 0, 1),
        parts);
    for (std::int64_t b = 0; b < 5; ++b) {
      Wants joined;
      for (int part = 0; part < parts; ++part) joined = joined + cut(b * parts + part);
      CHECK(flat(joined) == flat(whole(b)));
    }
  }
  const auto finite = micro_batches(validation_sequence(all, 8, 0, 1), 2);
  CHECK_FALSE(finite(3).empty());
  CHECK(finite(4).empty());
}

TEST_CASE("a sequence outlives the list it was made of") {
  BatchSequence sequence;
  {
    auto all = pictures(5, 0);
    sequence = training_sequence(all, {.seed = 1, .global_batch = 5, .first_clean_epoch = 0}, 0, 1);
    all.assign(5, {});
  }
  for (const auto& want : sequence(0)) CHECK(want.row == RowPlace{0, want.sample});
}

TEST_CASE("what cannot be cut into batches is refused with a fix") {
  const auto all = pictures(3, 0);
  CHECK_THROWS_WITH_AS(
      training_sequence({}, {.seed = 1, .global_batch = 4, .first_clean_epoch = 0}, 0, 1),
      "the training split holds no picture; look at `letterpress-preprocess info`", Error);
  CHECK_THROWS_WITH_AS(
      training_sequence(all, {.seed = 1, .global_batch = 2, .first_clean_epoch = 0}, 0, 3),
      "a global batch of 2 rows for 3 ranks leaves some ranks without a row; use a larger batch or "
      "fewer "
      "ranks",
      Error);
  CHECK_THROWS_WITH_AS(validation_sequence(all, 0, 0, 1), "--batch is 0, must be 1 or more", Error);
  CHECK_THROWS_WITH_AS(
      training_sequence(all, {.seed = 1, .global_batch = 4, .first_clean_epoch = 0}, 2, 2),
      "rank 2 of 2 ranks", std::logic_error);
  CHECK_THROWS_WITH_AS(
      micro_batches(
          training_sequence(all, {.seed = 1, .global_batch = 2, .first_clean_epoch = 0}, 0, 1), 0),
      "got 0 micro-batches per step, must be 1 or more", Error);
  CHECK_THROWS_WITH_AS(
      micro_batches(
          training_sequence(all, {.seed = 1, .global_batch = 2, .first_clean_epoch = 0}, 0, 1),
          3)(0),
      "a batch of 2 rows cannot be cut into 3 micro-batches; use a larger batch or accumulate less",
      Error);
}

TEST_CASE("a sequence may begin anywhere in the stream") {
  const auto all = pictures(10, 2);
  const TrainingOrder order{.seed = 3, .global_batch = 4, .first_clean_epoch = 3};
  TrainingOrder later = order;
  later.begin = 20;
  for (std::int64_t b = 0; b < 9; ++b)
    CHECK(flat(training_sequence(all, later, 0, 1)(b)) ==
          flat(training_sequence(all, order, 0, 1)(b + 5)));
}
