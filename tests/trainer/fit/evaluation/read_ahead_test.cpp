#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>

#include "tests/temp_dir.h"
#include "tests/trainer/device/immediate_streams.h"
#include "tests/trainer/fit/drawn_store.h"
#include "trainer/fit/evaluation/evaluate.h"

using namespace letterpress;

TEST_CASE("a batch goes to the device before what the network finds in the one before is used") {
  const TempDir dir;
  DrawnStore{.train = 1, .val = 6}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  Network network(make_model("yolov3-tiny", {.classes = 3, .side = 64}));
  network.initialise(3);
  // Three are in memory with the one in use. The fourth is read once the second went on.
  std::atomic<int> reads = 0;
  std::promise<void> fourth_is_read;
  EvaluateOptions options{.batch = 1, .readers = 1};
  options.before_read = [&](const RowPlace&) {
    if (++reads == 4) fourth_is_read.set_value();
  };
  options.streams = [] { return std::make_unique<ImmediateStreams>(); };
  std::future<void> read = fourth_is_read.get_future();
  int batches = 0;
  const auto use = [&](const Batch&, const std::vector<RowPlace>&,
                       const std::vector<torch::Tensor>&) {
    if (batches++ > 0) return;
    CHECK(read.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  };
  CHECK(for_each_batch(network, reader, reader.pictures("val"), options, use));
  CHECK(batches == 6);
}
