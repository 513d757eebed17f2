#include "trainer/parallel/rank_group.h"

#include <doctest/doctest.h>

#include <numeric>

#include "letterpress/base/error.h"
#include "tests/trainer/parallel/ranks_in_threads.h"

using namespace letterpress;

TEST_CASE("all-reduce, maximum, broadcast and gather work with 2 and 3 ranks") {
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    on_ranks(ranks, [ranks](RankGroup* group) {
      const int rank = group->rank(), all = ranks * (ranks + 1) / 2;
      torch::Tensor one = torch::full({3}, rank + 1, torch::kDouble),
                    two = torch::full({2, 2}, 10.0f * static_cast<float>(rank + 1));
      const RankGroup::Wait first = group->start_all_reduce(one),
                            second = group->start_all_reduce(two);
      first();
      second();
      CHECK(one.equal(torch::full({3}, all, torch::kDouble)));
      CHECK(two.equal(torch::full({2, 2}, 10.0f * static_cast<float>(all))));
      torch::Tensor within = torch::full({1}, rank + 1, torch::kFloat);
      group->start_all_reduce_within(within)();
      CHECK(within.item<int>() == all);
      CHECK(group->all_reduce_max(rank == 1 ? 143 : -5) == 143);
      CHECK(group->all_reduce_max(std::vector<std::int64_t>{rank, -rank}) ==
            std::vector<std::int64_t>{ranks - 1, 0});
      CHECK(group->broadcast(rank == 0 ? "the first" : "another, longer one") == "the first");
      CHECK(group->broadcast("") == "");
      CHECK(group->broadcast(std::vector<double>{rank + 0.5, 2.0 * rank}) ==
            std::vector<double>{0.5, 0});
      const std::vector<std::string> texts =
          group->gather(std::string(static_cast<std::size_t>(rank), 'x'));
      if (rank == 0) REQUIRE(texts.size() == static_cast<std::size_t>(ranks));
      CHECK(texts.empty() == (rank != 0));
      for (std::size_t i = 0; i < texts.size(); ++i) CHECK(texts[i] == std::string(i, 'x'));
      torch::Tensor strided = torch::full({2, 3}, static_cast<float>(rank + 7)).t();
      group->broadcast_in_place({strided});
      CHECK(strided.equal(torch::full({3, 2}, 7.0f)));
    });
  }
}

TEST_CASE("the bytes of an all-reduce are the same on every rank and in every run") {
  std::vector<std::vector<float>> sums(6);
  for (const std::size_t run : {0, 3}) {
    on_ranks(3, [&](RankGroup* group) {
      torch::Tensor tensor = torch::linspace(0.1, 1 + group->rank(), 100001);
      group->start_all_reduce(tensor)();
      sums[run + static_cast<std::size_t>(group->rank())] = {
          tensor.const_data_ptr<float>(), tensor.const_data_ptr<float>() + tensor.numel()};
    });
  }
  for (const auto& sum : sums) CHECK(sum == sums.front());
}

TEST_CASE("a rank that leaves makes the others' calls fail with what happened and what to do") {
  std::string message;
  Exit exit = Exit::done;
  on_ranks(2, [&](RankGroup* group) {
    group->all_reduce_max(0);  // both are connected
    if (group->rank() == 1) return;
    try {
      group->all_reduce_max(1);
    } catch (const Error& error) {
      message = error.what();
      exit = error.exit();
    }
  });
  CHECK(
      message.starts_with("lost the other ranks: one of the 2 has ended, its own message says why, "
                          "or cannot be reached ("));
  CHECK(message.ends_with("); --resume goes on from the last checkpoint"));
  CHECK(static_cast<int>(exit) == static_cast<int>(Exit::busy));
}

TEST_CASE("a rank that finds no other says where it looked") {
  std::vector<RankAssignment> assignments = local_assignments(2);
  CHECK_THROWS_WITH_AS(
      RankGroup(assignments[0], torch::kCPU, 0.2),
      doctest::Contains(("of 2 ranks these have not come to 127.0.0.1:" +
                         std::to_string(assignments[0].port) + " within 0.2 s: 1; ")
                            .c_str()),
      Error);
  CHECK_THROWS_WITH_AS(
      RankGroup(assignments[1], torch::kCPU, 0.2),
      doctest::Contains(
          ("found nobody at 127.0.0.1:" + std::to_string(assignments[1].port)).c_str()),
      Error);
}
