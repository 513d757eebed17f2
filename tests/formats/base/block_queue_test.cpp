#include "letterpress/base/block_queue.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace letterpress {
namespace {

// As long as a candidate, with memory of its own.
struct Element {
  int number = 0;
  std::string text = {};
  std::array<char, 400> more = {};
};

Element numbered(int n) { return {n, std::string(40, 'x') + std::to_string(n)}; }

std::int64_t resident_bytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST_CASE("elements leave in the order in which they came, and stay where they are until then") {
  constexpr int kMany = 3000;  // several blocks
  BlockQueue<Element> queue;
  CHECK(queue.empty());
  queue.push_back(numbered(0));
  const Element* const first = &queue.front();
  for (int i = 1; i < kMany; ++i) queue.push_back(numbered(i));
  CHECK(queue.size() == kMany);
  CHECK(&queue[0] == first);
  int next = 0;
  for (const Element& element : queue) CHECK(element.number == next++);
  CHECK(std::ranges::find(queue, 2999, &Element::number)->text == numbered(2999).text);
  for (int i = 0; i < 1500; ++i, queue.pop_front()) CHECK(queue.front().number == i);
  queue.push_back(numbered(kMany));
  CHECK(queue.size() == 1501);
  CHECK(queue[1500].number == kMany);
  const BlockQueue<Element> moved = std::move(queue);
  CHECK(moved.size() == 1501);
  CHECK(moved[0].text == numbered(1500).text);
  BlockQueue<Element> assigned;
  assigned.push_back(numbered(7));
  assigned = BlockQueue<Element>();
  CHECK(assigned.empty());
}

TEST_CASE("a queue that is emptied can be filled again") {
  BlockQueue<Element> queue;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) queue.push_back(numbered(i));
    for (int i = 0; i < 1000; ++i, queue.pop_front()) CHECK(queue.front().number == i);
    CHECK(queue.empty());
  }
}

TEST_CASE("each element is destroyed once") {
  const auto counted = std::make_shared<int>(0);
  {
    BlockQueue<std::shared_ptr<int>> queue;
    for (int i = 0; i < 10; ++i) queue.push_back(counted);
    queue.pop_front();
    CHECK(counted.use_count() == 10);
  }
  CHECK(counted.use_count() == 1);
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE(
    "memory goes back to the system as the front is taken, though others hold what was allocated "
    "in between") {
  constexpr std::int64_t kElements = 40'000,
                         kBytes = kElements * static_cast<std::int64_t>(sizeof(Element));
  BlockQueue<Element> queue;
  std::vector<std::unique_ptr<char[]>> between;
  for (int i = 0; i < kElements; ++i) {
    queue.push_back({i});
    between.push_back(std::make_unique<char[]>(24));
  }
  const std::int64_t full = resident_bytes();
  for (int i = 0; i < kElements / 2; ++i) queue.pop_front();
  const std::int64_t half = resident_bytes();
  CHECK(full - half > kBytes * 2 / 5);
  CHECK(full - half < kBytes * 3 / 5);
}
#endif

}  // namespace
}  // namespace letterpress
