#include "trainer/loader/batch_sequence.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "letterpress/base/error.h"

using namespace letterpress;

namespace {

constexpr std::int64_t kNeverClean = std::numeric_limits<std::int64_t>::max();
using Wants = std::vector<BatchLoader::Want>;

/// n pictures with K views: picture i is clean row i of shard 0 and rows i*K... of shard 1.
std::vector<PictureRows> pictures(int n, int views) {
  std::vector<PictureRows> answer;
  for (int i = 0; i < n; ++i) {
    PictureRows picture{static_cast<std::uint64_t>(100 + 7 * i), {0, i}, {}};
    for (int view = 0; view < views; ++view) picture.augmented.push_back({1, i * views + view});
    answer.push_back(picture);
  }
  return answer;
}

constexpr std::int64_t kScattered = 40;
/// Of two views each; which of them lies where is another order than the list's.
std::vector<PictureRows> scattered_pictures() {
  std::vector<PictureRows> answer(kScattered);
  for (std::int64_t i = 0; i < kScattered; ++i) {
    const std::int64_t at = i * 17 % kScattered;
    answer[static_cast<std::size_t>(i)] = {
        static_cast<std::uint64_t>(i), {0, i}, {{1, 2 * at}, {1, 2 * at + 1}}};
  }
  return answer;
}

TrainingOrder windowed(int global_batch) {
  return {.seed = 3,
          .global_batch = global_batch,
          .first_clean_epoch = kNeverClean,
          .window = {.block = 4, .blocks = 2}};
}

std::vector<std::pair<std::int64_t, RowPlace>> flat(const Wants& wants) {
  std::vector<std::pair<std::int64_t, RowPlace>> answer;
  for (const BatchLoader::Want& want : wants) answer.emplace_back(want.sample, want.row);
  return answer;
}

Wants operator+(Wants first, const Wants& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST_CASE(
    "views by hand: view 1 + (picture_id + epoch) mod K, clean from the first clean epoch on and "
    "without views") {
  PictureRows picture{10, {0, 5}, {{1, 0}, {1, 1}, {1, 2}, {1, 3}}};
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
      std::numeric_limits<std::uint64_t>::max(), {0, 0}, {{1, 0}, {1, 1}, {1, 2}}};
  // 2^64 - 1 = 3 * 6148914691236517205
  for (std::int64_t epoch = 0; epoch < 9; ++epoch)
    CHECK(row_of(picture, epoch, kNeverClean) == RowPlace{1, epoch % 3});
}

TEST_CASE(
    "slices of the ranks one after the other are the batch of one rank, also when it is not "
    "divisible") {
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

TEST_CASE("another number of ranks continues at the same position") {
  const auto all = pictures(11, 2);
  const auto whole = training_sequence(
      all, {.seed = 4, .global_batch = 6, .first_clean_epoch = kNeverClean}, 0, 1);
  for (std::int64_t b = 0; b < 8; ++b) {
    const int ranks = b < 4 ? 2 : 3;
    Wants joined;
    for (int rank = 0; rank < ranks; ++rank)
      joined = joined + training_sequence(
                            all, {.seed = 4, .global_batch = 6, .first_clean_epoch = kNeverClean},
                            rank, ranks)(b);
    CHECK(flat(joined) == flat(whole(b)));
  }
}

TEST_CASE(
    "validation reads view 0 of each picture once; the last batch is padded and all ranks have "
    "equally many") {
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

TEST_CASE("micro-batches one after the other are the batch") {
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

TEST_CASE("the disk's order is that of the augmented rows, where there are any, shard by shard") {
  std::vector<PictureRows> all{{1, {0, 0}, {{2, 4}, {2, 5}}},
                               {2, {0, 1}, {{1, 6}, {1, 7}}},
                               {3, {0, 2}, {{2, 0}, {2, 1}}},
                               {4, {1, 5}, {}}};
  put_in_disk_order(all);
  std::vector<std::uint64_t> ids;
  for (const PictureRows& picture : all) ids.push_back(picture.picture_id);
  CHECK(ids == std::vector<std::uint64_t>{4, 2, 3, 1});
}

TEST_CASE("a windowed batch is of rows that lie together; an epoch has each once") {
  std::vector<PictureRows> all = scattered_pictures();
  put_in_disk_order(all);
  const auto sequence = training_sequence(all, windowed(8), 0, 1);
  std::map<std::int64_t, int> seen;
  for (std::int64_t b = 0; b < 5; ++b) {
    std::vector<std::int64_t> at;
    for (const auto& want : sequence(b)) {
      CHECK(want.row.row / 2 == want.sample);
      at.push_back(want.row.row / 2);
      ++seen[want.sample];
    }
    CHECK_FALSE(std::is_sorted(at.begin(), at.end()));
    std::sort(at.begin(), at.end());
    int runs = 1;
    for (std::size_t i = 1; i < at.size(); ++i) runs += at[i] != at[i - 1] + 1;
    CHECK(runs <= 3);  // two blocks, one of which may lie around the end
  }
  CHECK(seen.size() == kScattered);
}

TEST_CASE(
    "windows: ranks make the batches of one rank between them, from any step on, and each epoch "
    "has each row once") {
  std::vector<PictureRows> all = scattered_pictures();
  put_in_disk_order(all);
  const auto whole = training_sequence(all, windowed(7), 0, 1);
  std::map<std::int64_t, int> drawn;
  for (std::int64_t b = 0; b < kScattered; ++b) {  // 40 batches of 7 = 7 epochs of 40
    for (const auto& want : whole(b)) ++drawn[want.sample];
    for (const int ranks : {2, 3}) {
      Wants joined;
      TrainingOrder resumed = windowed(7);
      resumed.begin = b * 7;
      for (int rank = 0; rank < ranks; ++rank)
        joined = joined + training_sequence(all, resumed, rank, ranks)(0);
      CHECK(flat(joined) == flat(whole(b)));
    }
  }
  CHECK(drawn.size() == kScattered);
  for (const auto& [sample, times] : drawn) CHECK(times == 7);
}

TEST_CASE("windows of pictures that are not in the disk's order are refused") {
  CHECK_THROWS_WITH_AS(training_sequence(scattered_pictures(), windowed(8), 0, 1),
                       "training_sequence: windows are of pictures in their order on the disk; "
                       "call put_in_disk_order first",
                       std::logic_error);
}

TEST_CASE("a sequence outlives the list it was made of") {
  BatchLoader::Sequence sequence;
  {
    auto all = pictures(5, 0);
    sequence = training_sequence(all, {.seed = 1, .global_batch = 5, .first_clean_epoch = 0}, 0, 1);
    all.assign(5, {});
  }
  for (const auto& want : sequence(0)) CHECK(want.row == RowPlace{0, want.sample});
}

TEST_CASE("what cannot be cut in batches is said with the way out") {
  const auto all = pictures(3, 0);
  CHECK_THROWS_WITH_AS(
      training_sequence({}, {.seed = 1, .global_batch = 4, .first_clean_epoch = 0}, 0, 1),
      "the training split holds no picture; look at `letterpress-preprocess info`", Error);
  CHECK_THROWS_WITH_AS(
      training_sequence(all, {.seed = 1, .global_batch = 2, .first_clean_epoch = 0}, 0, 3),
      "a global batch of 2 rows for 3 ranks leaves some without a row; raise --batch or use fewer "
      "ranks",
      Error);
  CHECK_THROWS_WITH_AS(validation_sequence(all, 0, 0, 1),
                       "a batch of 0 rows; --batch is at least 1", Error);
  CHECK_THROWS_WITH_AS(
      training_sequence(all, {.seed = 1, .global_batch = 4, .first_clean_epoch = 0}, 2, 2),
      "rank 2 of 2 ranks", std::logic_error);
  CHECK_THROWS_WITH_AS(
      micro_batches(
          training_sequence(all, {.seed = 1, .global_batch = 2, .first_clean_epoch = 0}, 0, 1), 0),
      "0 micro-batches per step; at least 1 is needed", Error);
  CHECK_THROWS_WITH_AS(
      micro_batches(
          training_sequence(all, {.seed = 1, .global_batch = 2, .first_clean_epoch = 0}, 0, 1),
          3)(0),
      "a batch of 2 rows cannot be cut in 3 micro-batches; raise --batch or accumulate less",
      Error);
}

TEST_CASE(
    "a replay: each epoch has every new picture and the share of the known, which all have their "
    "turn before one comes again") {
  const auto all = pictures(10, 0);
  const TrainingOrder order{.seed = 3, .global_batch = 7, .replayed = 6, .replay = 0.5};
  CHECK(samples_of_epoch(10, order) == 7);
  const auto sequence = training_sequence(all, order, 0, 1);
  std::map<std::int64_t, int> seen;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    for (const BatchLoader::Want& want : sequence(epoch)) ++seen[want.sample];
    for (std::int64_t sample = 0; sample < 4; ++sample) CHECK(seen[sample] == epoch + 1);
    if (epoch % 2 == 0) continue;
    for (std::int64_t sample = 4; sample < 10; ++sample) CHECK(seen[sample] == (epoch + 1) / 2);
  }
  const TrainingOrder none{.global_batch = 4, .replayed = 6, .replay = 0};
  CHECK(samples_of_epoch(10, none) == 4);
  for (const BatchLoader::Want& want : training_sequence(all, none, 0, 1)(5))
    CHECK(want.sample < 4);
  CHECK_THROWS_WITH_AS(
      training_sequence(all, {.window = {.block = 4}, .replayed = 6, .replay = 0.5}, 0, 1),
      "--replay takes pictures from all over the store; --order window is not for it, leave it out",
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
