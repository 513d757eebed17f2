#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/trainer/loader/batch_copy.h"
#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/batch_sequence.h"

using namespace letterpress;

TEST_CASE(
    "telling the page cache ahead changes no batch, and the sequence may end or throw anywhere") {
  const SampleStore store(23, 3);
  const auto sequence = training_sequence(
      store.train(),
      {.seed = 5, .global_batch = 7, .first_clean_epoch = 3, .window = {.block = 4, .blocks = 3}},
      0, 1);
  for (const int advise : {1, 3, 100}) {
    BatchLoader plain(store.reader(), sequence, 0, {.batch = 7}),
        told(store.reader(), sequence, 0, {.batch = 7, .advise = advise});
    for (int b = 0; b < 20; ++b)
      CHECK(copy(*told.next(), store.row_bytes()) == copy(*plain.next(), store.row_bytes()));
    const auto breaks = [&](std::int64_t b) {
      return b < 5 ? sequence(b) : throw std::runtime_error("no batch 5");
    };
    BatchLoader broken(store.reader(), breaks, 0, {.batch = 7, .advise = advise});
    for (int b = 0; b < 5; ++b) CHECK(broken.next() != nullptr);
    CHECK_THROWS_WITH_AS(broken.next(), "no batch 5", std::runtime_error);
    BatchLoader finite(store.reader(), validation_sequence(store.train(), 7, 0, 1), 0,
                       {.batch = 7, .advise = advise});
    for (int b = 0; b < 4; ++b) CHECK(finite.next() != nullptr);
    CHECK(finite.next() == nullptr);
  }
}

TEST_CASE(
    "the page cache is told of rows a group of batches ahead, each group in the disk's order, the "
    "first one at the start") {
  const SampleStore store(24, 0);
  constexpr std::size_t kGroup = 8, kRows = 24;  // two batches of four; an epoch
  const auto sequence = training_sequence(store.train(), {.seed = 5, .global_batch = 4}, 0, 1);
  struct Event {
    bool told;
    std::int64_t row;
  };
  std::vector<Event> events;  // of the one reader; looked at when it has ended
  {
    BatchLoader loader(store.reader(), sequence, 0,
                       {.batch = 4,
                        .threads = 1,
                        .buffers = 2,
                        .advise = 2,
                        .before_read =
                            [&](const RowPlace& place) {
                              events.push_back({false, place.row});
                            },
                        .advised =
                            [&](const RowPlace& place) {
                              events.push_back({true, place.row});
                            }});
    for (int b = 0; b < 6; ++b) REQUIRE(loader.next() != nullptr);
  }
  std::vector<std::int64_t> told, wanted;
  std::vector<std::size_t> told_at(kRows, events.size()), read_at;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].told && told.size() < kRows) {
      told_at[static_cast<std::size_t>(events[i].row)] = i;
      told.push_back(events[i].row);
    } else if (!events[i].told) {
      read_at.push_back(i);
    }
  }
  for (std::int64_t b = 0; b < 6; ++b)
    for (const auto& want : sequence(b)) wanted.push_back(want.row.row);
  for (auto group = wanted.begin(); group != wanted.end(); group += kGroup)
    std::sort(group, group + kGroup);
  CHECK(told == wanted);
  REQUIRE(read_at.size() >= kRows);
  // From the second group on every row was told of before the group's first read.
  for (std::size_t i = kGroup; i < kRows; ++i)
    CHECK(told_at[static_cast<std::size_t>(events[read_at[i]].row)] < read_at[i / kGroup * kGroup]);
}
