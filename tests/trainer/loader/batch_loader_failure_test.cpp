#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/batch_loader.h"

using namespace letterpress;

namespace {

/// Clean rows 0, 1, 2, ... of shard 0, `batch` at a time, over and over.
BatchSequence in_order(int rows, int batch) {
  return [=](std::int64_t b) {
    std::vector<WantedRow> wants;
    for (std::int64_t i = b * batch; i < (b + 1) * batch; ++i)
      wants.push_back({i % rows, {0, i % rows}});
    return wants;
  };
}

/// Readers that ask for `row` stay in before_read until opened.
class Gate {
 public:
  explicit Gate(std::int64_t row) : row_(row) {}
  void pass(const RowPlace& place) {
    std::unique_lock lock(mutex_);
    if (place.row != row_) return;
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void wait_for_arrival() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ > 0; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::int64_t row_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool open_ = false;
};

/// Tells when the last of `left` buffers was given back.
struct ReleaseCount {
  explicit ReleaseCount(int buffers) : left(buffers) {}
  void release(void* memory) {
    std::free(memory);
    if (--left == 0) all.set_value();
  }
  std::atomic<int> left;
  std::promise<void> all;
};

}  // namespace

TEST_CASE("a damaged row is an error with shard, row and picture, in its batch and not before") {
  const SampleStore store(10, 0);
  store.damage(0, 5);
  for (const int threads : {1, 4}) {
    BatchLoader loader(store.reader(), in_order(10, 2), 0,
                       {.batch = 2, .threads = threads, .buffers = 4});
    CHECK(loader.next() != nullptr);
    CHECK(loader.next() != nullptr);
    const std::string wanted = store.shard_path(0).string() + ": row 5 (p5.jpg) is damaged";
    for (int again = 0; again < 3; ++again)
      CHECK_THROWS_WITH_AS(loader.next(), doctest::Contains(wanted.c_str()), Error);
  }
}

TEST_CASE("of several damaged rows of a batch the first is named, whatever the threads do") {
  const SampleStore store(8, 0);
  store.damage(0, 7);
  store.damage(0, 3);
  store.damage(0, 6);
  for (int run = 0; run < 20; ++run) {
    BatchLoader loader(store.reader(), in_order(8, 8), 0, {.batch = 8, .threads = 4});
    CHECK_THROWS_WITH_AS(loader.next(), doctest::Contains("row 3 (p3.jpg)"), Error);
  }
}

TEST_CASE("checksums are verified on a row's first touch, each time or never, as --verify says") {
  for (const auto& [verify, damaged_at_first, damaged_later] :
       {std::tuple{VerifyRows::first, true, false},
        {VerifyRows::always, true, true},
        {VerifyRows::never, false, false}}) {
    const SampleStore store(2, 0);
    {
      // Damage between two reads: the gate of batch 1 holds row 0 back until it is done.
      std::promise<void> damaged;
      std::shared_future<void> go = damaged.get_future().share();
      const auto wait = [go](const RowPlace& place) {
        if (place.row == 1) go.wait();
      };
      const auto row_0_around_1 = [](std::int64_t b) {
        return std::vector<WantedRow>{{0, {0, b == 1 ? 1 : 0}}};
      };
      BatchLoader loader(store.reader(), row_0_around_1, 0,
                         {.batch = 1, .threads = 1, .verify = verify, .before_read = wait});
      CHECK(loader.next() != nullptr);
      store.damage(0, 0);
      damaged.set_value();
      CHECK(loader.next() != nullptr);
      if (damaged_later)
        CHECK_THROWS_AS(loader.next(), Error);
      else
        CHECK(loader.next() != nullptr);
    }
    BatchLoader fresh(store.reader(), in_order(2, 2), 0, {.batch = 2, .verify = verify});
    if (damaged_at_first)
      CHECK_THROWS_AS(fresh.next(), Error);
    else
      CHECK(fresh.next() != nullptr);
  }
}

TEST_CASE("a shard that was cut while it was open is an error with shard, row and picture") {
  const SampleStore store(10, 0);
  store.cut(0, 4, 1000);
  BatchLoader loader(store.reader(), in_order(10, 4), 0, {.batch = 4, .read = ReadBy::pread});
  CHECK(loader.next() != nullptr);
  const std::string wanted = store.shard_path(0).string() +
                             ": row 4 (p4.jpg): cut short, 1000 of 3072 bytes are there; did the "
                             "file change since it was opened? run "
                             "`letterpress-preprocess verify`";
  CHECK_THROWS_WITH_AS(loader.next(), wanted.c_str(), Error);
}

TEST_CASE("what a reader thread or the sequence throws comes out of next") {
  const SampleStore store(10, 0);
  const auto fail = [](const RowPlace& place) {
    if (place.row == 3) throw std::runtime_error("before row 3");
  };
  BatchLoader loader(store.reader(), in_order(10, 2), 0, {.batch = 2, .before_read = fail});
  CHECK(loader.next() != nullptr);
  CHECK_THROWS_WITH_AS(loader.next(), "before row 3", std::runtime_error);

  const auto break_at_4 = [](std::int64_t b) {
    if (b == 4) throw std::runtime_error("no batch 4");
    return in_order(10, 2)(b);
  };
  BatchLoader broken(store.reader(), break_at_4, 3, {.batch = 2});
  CHECK(broken.next() != nullptr);
  for (int again = 0; again < 2; ++again)
    CHECK_THROWS_WITH_AS(broken.next(), "no batch 4", std::runtime_error);
}

TEST_CASE("a sequence that asks for too many rows or for one that does not exist is an error") {
  const SampleStore store(10, 0);
  BatchLoader wide(store.reader(), in_order(10, 3), 0, {.batch = 2});
  CHECK_THROWS_WITH_AS(wide.next(), "the sequence asks for 3 rows, LoaderOptions::batch is 2",
                       std::logic_error);
  for (const RowPlace place : {RowPlace{0, 10}, {0, -1}, {1, 0}, {-1, 0}}) {
    BatchLoader beyond(store.reader(),
                       [=](std::int64_t) {
                         return std::vector<WantedRow>{{0, place}};
                       },
                       0, {.batch = 2});
    const std::string wanted = "the sequence asks for row " + std::to_string(place.row) +
                               " of shard " + std::to_string(place.shard) +
                               ", which the snapshot does not have";
    CHECK_THROWS_WITH_AS(beyond.next(), wanted.c_str(), std::logic_error);
  }
}

TEST_CASE(
    "a read that hangs is an error with shard, row and picture after the deadline, and does not "
    "delay the end") {
  auto gate = std::make_shared<Gate>(3);
  auto count = std::make_shared<ReleaseCount>(3);
  {
    const SampleStore store(10, 0);
    BatchLoader loader(store.reader(), in_order(10, 2), 0,
                       {.batch = 2,
                        .threads = 2,
                        .buffers = 3,
                        .deadline_s = 0.25,
                        .allocate = [](std::size_t bytes) { return std::aligned_alloc(64, bytes); },
                        .release = [count](void* memory) { count->release(memory); },
                        .before_read = [gate](const RowPlace& place) { gate->pass(place); }});
    CHECK(loader.next() != nullptr);
    const std::string wanted = store.shard_path(0).string() +
                               ": row 3 (p3.jpg): a read has taken more than 0.25 s; does the disk "
                               "or its network mount hang? read the file "
                               "by hand, or copy the store to a local disk";
    CHECK_THROWS_WITH_AS(loader.next(), wanted.c_str(), Error);
    CHECK(loader.waited_s() >= 0.2);
  }
  // Loader and snapshot are gone while the reader still hangs; when it comes back it only lets go
  // of the memory.
  gate->open();
  CHECK(count->all.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
}

TEST_CASE("only a read for which the consumer waits is past its deadline") {
  auto gate = std::make_shared<Gate>(3);
  const SampleStore store(10, 0);
  BatchLoader loader(store.reader(), in_order(10, 2), 0,
                     {.batch = 2,
                      .threads = 1,
                      .buffers = 3,
                      .deadline_s = 1,
                      .before_read = [gate](const RowPlace& place) { gate->pass(place); }});
  CHECK(loader.next() != nullptr);
  gate->wait_for_arrival();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // a long step
  std::thread opener([gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    gate->open();
  });
  CHECK_NOTHROW(loader.next());
  opener.join();
}

TEST_CASE("a consumer that gives up while it waits leaves at once; else it goes on") {
  using namespace std::chrono;
  auto gate = std::make_shared<Gate>(3);
  const auto begin = steady_clock::now();
  {
    const SampleStore store(10, 0);
    int calls = 0;
    BatchLoader loader(store.reader(), in_order(10, 2), 0,
                       {.batch = 2,
                        .threads = 1,
                        .deadline_s = 1000,
                        .while_waiting =
                            [&] {
                              if (++calls == 3) throw std::runtime_error("enough");
                            },
                        .before_read = [gate](const RowPlace& place) { gate->pass(place); }});
    CHECK(loader.next() != nullptr);
    CHECK_THROWS_WITH_AS(loader.next(), "enough", std::runtime_error);
    CHECK(calls == 3);
  }
  CHECK(steady_clock::now() - begin < 100s);
  gate->open();
}

TEST_CASE("at the end the loader waits for a slow read within its deadline") {
  const SampleStore store(10, 0);
  Gate gate(1);
  std::atomic<int> passing = 0;
  const auto pass = [&](const RowPlace& place) {
    ++passing;
    gate.pass(place);
    --passing;
  };
  std::thread opener;
  {
    BatchLoader loader(store.reader(), in_order(10, 2), 0, {.batch = 2, .before_read = pass});
    gate.wait_for_arrival();
    opener = std::thread([&] { gate.open(); });
  }
  CHECK(passing == 0);
  opener.join();
}
