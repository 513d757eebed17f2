#include "preprocess/map/finisher.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "preprocess/map/pixel_budget.h"

namespace letterpress {

TEST_CASE(
    "no more pixels than the budget are open at once, and a picture over all of it is open alone") {
  constexpr std::int64_t kBudget = 100;
  PixelBudget budget(kBudget);
  std::atomic<std::int64_t> open{0}, most{0}, beside_a_giant{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const bool giant = t == 0 && i % 10 == 0;
        const std::int64_t pixels = giant ? 1000 : 10 + 7 * t;
        const PixelBudget::Hold hold(budget, pixels);
        const std::int64_t counted = giant ? kBudget : pixels;
        const std::int64_t now = open += counted;
        if (giant && now != kBudget) ++beside_a_giant;
        std::int64_t seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        open -= counted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most <= kBudget);
  CHECK(most > 0);
  CHECK(beside_a_giant == 0);
}

TEST_CASE("the finisher runs every task, one at a time, in order") {
  std::vector<int> done;
  Finisher finisher(2);
  for (int i = 0; i < 50; ++i) finisher.hand([&done, i] { done.push_back(i); });
  finisher.wait();
  std::vector<int> wanted(50);
  for (int i = 0; i < 50; ++i) wanted[static_cast<std::size_t>(i)] = i;
  CHECK(done == wanted);
}

TEST_CASE(
    "what a task throws comes out of wait and of later hands, and tasks behind it are dropped") {
  Finisher finisher(8);
  std::atomic<bool> ran{false};
  std::atomic<bool> go{false};
  finisher.hand([&] {
    go.wait(false);
    throw std::runtime_error("disk full");
  });
  finisher.hand([&] { ran = true; });
  go = true;
  go.notify_all();
  CHECK_THROWS_WITH(finisher.wait(), "disk full");
  CHECK_THROWS_WITH(finisher.hand([] {}), "disk full");
  CHECK_FALSE(ran);
}

}  // namespace letterpress
