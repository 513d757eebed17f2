#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/sequence_case.h"

using namespace letterpress;

namespace {

constexpr std::int64_t kScattered = 40;
/// Pictures of two views each; their order on the disk differs from the list's.
std::vector<PictureRows> scattered_pictures() {
  std::vector<PictureRows> result(kScattered);
  for (std::int64_t i = 0; i < kScattered; ++i) {
    const std::int64_t at = i * 17 % kScattered;
    result[static_cast<std::size_t>(i)] = {
        static_cast<std::uint64_t>(i), 0, {0, i}, {{1, 2 * at}, {1, 2 * at + 1}}};
  }
  return result;
}

TrainingOrder windowed(int global_batch) {
  return {.seed = 3,
          .global_batch = global_batch,
          .first_clean_epoch = kNoCleanEpoch,
          .window = {.block = 4, .blocks = 2}};
}

}  // namespace

TEST_CASE("disk order is that of the augmented rows, where there are any, shard by shard") {
  std::vector<PictureRows> all{{1, 0, {0, 0}, {{2, 4}, {2, 5}}},
                               {2, 0, {0, 1}, {{1, 6}, {1, 7}}},
                               {3, 0, {0, 2}, {{2, 0}, {2, 1}}},
                               {4, 0, {1, 5}, {}}};
  put_in_disk_order(all);
  std::vector<std::uint64_t> ids;
  for (const PictureRows& picture : all) ids.push_back(picture.picture_id);
  CHECK(ids == std::vector<std::uint64_t>{4, 2, 3, 1});
}

TEST_CASE("the rows of a windowed batch are neighbours on the disk; an epoch has each row once") {
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
    "windows: the ranks together make the batches of one rank, from any step on, and each epoch "
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

TEST_CASE("windows of pictures that are not in disk order are refused") {
  CHECK_THROWS_WITH_AS(
      training_sequence(scattered_pictures(), windowed(8), 0, 1),
      "training_sequence: windows need pictures in disk order; call put_in_disk_order first",
      std::logic_error);
}

TEST_CASE(
    "replay: each epoch has every new picture and the share of the known ones; each of those is "
    "read once before any is read again") {
  const auto all = pictures(10, 0);
  const TrainingOrder order{.seed = 3, .global_batch = 7, .replayed = 6, .replay = 0.5};
  CHECK(samples_of_epoch(10, order) == 7);
  const auto sequence = training_sequence(all, order, 0, 1);
  std::map<std::int64_t, int> seen;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    for (const WantedRow& want : sequence(epoch)) ++seen[want.sample];
    for (std::int64_t sample = 0; sample < 4; ++sample) CHECK(seen[sample] == epoch + 1);
    if (epoch % 2 == 0) continue;
    for (std::int64_t sample = 4; sample < 10; ++sample) CHECK(seen[sample] == (epoch + 1) / 2);
  }
  const TrainingOrder none{.global_batch = 4, .replayed = 6, .replay = 0};
  CHECK(samples_of_epoch(10, none) == 4);
  for (const WantedRow& want : training_sequence(all, none, 0, 1)(5)) CHECK(want.sample < 4);
  CHECK_THROWS_WITH_AS(
      training_sequence(all, {.window = {.block = 4}, .replayed = 6, .replay = 0.5}, 0, 1),
      "--replay takes pictures from all over the store; leave --order window out", Error);
}
