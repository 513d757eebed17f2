#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/trainer/loader/sequence_case.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {
namespace {

struct Case {
  int pictures, views, epochs;
  TrainingOrder order{};
  int batches = 0, ranks = 0;                      ///< until the run is stopped
  int batch_of_resumed = 0, ranks_of_resumed = 0;  ///< from there on
};

Case drawn(unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  Case drawn{.pictures = upto(1, 50), .views = upto(0, 4), .epochs = upto(1, 5)};
  drawn.order.seed = random();
  drawn.order.global_batch = upto(1, 16);
  drawn.order.first_clean_epoch = upto(0, 6);
  if (upto(0, 2) == 0) drawn.order.window = {.block = upto(1, 8), .blocks = upto(1, 4)};
  drawn.ranks = upto(1, drawn.order.global_batch);
  drawn.batches = upto(0, drawn.epochs * drawn.pictures / drawn.order.global_batch);
  drawn.batch_of_resumed = upto(0, 1) == 0 ? drawn.order.global_batch : upto(1, 16);
  drawn.ranks_of_resumed = upto(1, drawn.batch_of_resumed);
  return drawn;
}

// What all ranks read until the end of the epochs, each the batches of a run of its own, in order.
Wants read_by(const std::vector<PictureRows>& all, const TrainingOrder& order, int ranks,
              std::int64_t batches) {
  std::vector<BatchSequence> sequences;
  for (int rank = 0; rank < ranks; ++rank)
    sequences.push_back(training_sequence(all, order, rank, ranks));
  Wants read;
  for (std::int64_t b = 0; b < batches; ++b)
    for (const BatchSequence& sequence : sequences) read = std::move(read) + sequence(b);
  return read;
}

// Rows of each epoch that are not those of its pictures, each once.
int odd_rows(const Case& one) {
  std::vector<PictureRows> all = pictures(one.pictures, one.views);
  put_in_disk_order(all);
  Wants read = read_by(all, one.order, one.ranks, one.batches);
  TrainingOrder resumed = one.order;
  resumed.begin = static_cast<std::int64_t>(read.size());
  resumed.global_batch = one.batch_of_resumed;
  const std::int64_t left = std::int64_t{one.epochs} * one.pictures - resumed.begin;
  read = std::move(read) + read_by(all, resumed, one.ranks_of_resumed,
                                   (left + resumed.global_batch - 1) / resumed.global_batch);
  int odd = 0;
  for (int epoch = 0; epoch < one.epochs; ++epoch) {
    std::map<std::pair<std::int32_t, std::int64_t>, int> times;
    for (int i = 0; i < one.pictures; ++i) {
      const RowPlace row = read.at(static_cast<std::size_t>(epoch * one.pictures + i)).row;
      ++times[{row.shard, row.row}];
    }
    for (const PictureRows& picture : all) {
      const bool is_clean = one.views == 0 || epoch >= one.order.first_clean_epoch;
      const auto view = (picture.picture_id + static_cast<unsigned>(epoch)) %
                        static_cast<unsigned>(std::max(1, one.views));
      const RowPlace row = is_clean ? picture.clean : picture.augmented[view];
      odd += times[{row.shard, row.row}] != 1;
    }
  }
  return odd;
}

// The view of an epoch is the formula of DESIGN: 1 + (picture_id + epoch) mod K, or the clean one.
TEST_CASE(
    "10,000 runs that are stopped and go on with other ranks and batches see each picture once in "
    "each epoch") {
  int resumed_inside = 0;
  for (unsigned seed = 0; seed < 10'000; ++seed) {
    const Case one = drawn(seed);
    const int odd = odd_rows(one);
    if (odd != 0) FAIL_CHECK("seed " << seed << ": " << odd << " rows");
    resumed_inside += one.batches * one.order.global_batch % one.pictures != 0;
  }
  CHECK(resumed_inside > 5'000);
}

}  // namespace
}  // namespace letterpress
