#include "trainer/fit/step/device_feed.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"
#include "tests/trainer/device/immediate_streams.h"
#include "tests/trainer/fit/drawn_store.h"
#include "trainer/loader/batch_sequence.h"

using namespace letterpress;

TEST_CASE("the feed gives pixels, boxes and rows of the loader's batches, and ends with them") {
  const TempDir dir;
  DrawnStore{.train = 5}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto pictures = reader.pictures("train");
  BatchLoader loader(reader, validation_sequence(pictures, 2, 0, 1), 0, {.batch = 2});
  DeviceFeed feed(loader, torch::kCPU, torch::kFloat);
  std::size_t seen = 0;
  while (const Batch* batch = feed.next()) {
    for (std::int64_t i = 0; i < 2; ++i) {
      const RowPlace place = feed.places()[static_cast<std::size_t>(i)];
      const bool padding = seen == pictures.size();
      CHECK(batch->weight[i].item<double>() == (padding ? 0 : 1));
      if (padding) continue;
      CHECK(place == pictures[seen++].clean);
      const ShardReader& shard = reader.shard(place.shard);
      const auto boxes = shard.boxes(place.row);
      CHECK(torch::equal(batch->boxes[i].flatten(),
                         torch::tensor(std::vector<float>(boxes.begin(), boxes.end()))));
      std::vector<std::uint8_t> pixels(3 * 64 * 64);
      shard.read_images(place.row, 1, pixels.data());
      const torch::Tensor image =
          (batch->images[i].permute({1, 2, 0}) * 255).round().to(torch::kByte).contiguous();
      CHECK(torch::equal(image.flatten(), torch::tensor(pixels, torch::kByte)));
      CHECK(batch->label[i].item<std::int64_t>() == -1);
      CHECK(batch->flags[i].sum().item<std::int64_t>() == 0);
    }
  }
  CHECK(seen == 5);
  CHECK(feed.next() == nullptr);
}

TEST_CASE(
    "numbers that the loader made have the bits of bytes that torch divides, in float32 and "
    "bfloat16, and are not copied") {
  const TempDir dir;
  DrawnStore{.train = 5}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto sequence = validation_sequence(reader.pictures("train"), 2, 0, 1);
  for (const torch::Dtype type : {torch::kFloat, torch::kBFloat16}) {
    LoaderOptions loading{.batch = 2};
    BatchLoader bytes(reader, sequence, 0, loading);
    load_for(torch::kCPU, type, loading);
    BatchLoader numbers(reader, sequence, 0, loading);
    DeviceFeed divided(bytes, torch::kCPU, type), made(numbers, torch::kCPU, type);
    const void* last = nullptr;
    while (const Batch* wanted = divided.next()) {
      const Batch* got = made.next();
      CHECK(got->images.dtype() == type);
      CHECK(got->images.is_contiguous(torch::MemoryFormat::ChannelsLast));
      CHECK(torch::equal(got->images, wanted->images));
      CHECK(got->images.data_ptr() != last);  // the loader's own buffers, one after the other
      last = got->images.data_ptr();
    }
    CHECK(made.next() == nullptr);
    CHECK_THROWS_WITH_AS(
        DeviceFeed(numbers, torch::kCPU, type == torch::kFloat ? torch::kBFloat16 : torch::kFloat),
        "DeviceFeed: the loader makes numbers for another device or of another type",
        std::logic_error);
  }
}

TEST_CASE("over a device's streams come the same batches, and their labels stay as they are") {
  const TempDir dir;
  DrawnStore{.train = 9}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto sequence = validation_sequence(reader.pictures("train"), 2, 0, 1);
  BatchLoader host_loader(reader, sequence, 0, {.batch = 2}),
      loader(reader, sequence, 0, {.batch = 2});
  DeviceFeed host(host_loader, torch::kCPU, torch::kFloat),
      feed(loader, torch::kCPU, torch::kFloat, std::make_unique<ImmediateStreams>());
  std::vector<torch::Tensor> boxes, labels, wanted_boxes, wanted_labels;
  while (const Batch* wanted = host.next()) {
    const Batch* got = feed.next();
    REQUIRE(got != nullptr);
    CHECK(got->images.equal(wanted->images));
    CHECK(got->flags.equal(wanted->flags));
    CHECK(got->weight.equal(wanted->weight));
    CHECK(got->rows == wanted->rows);
    const bool same_places = feed.places() == host.places();
    CHECK(same_places);
    boxes.push_back(got->boxes);
    labels.push_back(got->label);
    wanted_boxes.push_back(wanted->boxes.clone());
    wanted_labels.push_back(wanted->label.clone());
    feed.prefetch();
  }
  CHECK(feed.next() == nullptr);
  REQUIRE(boxes.size() == 5);  // more than there are slots
  CHECK_FALSE(wanted_boxes[0].equal(wanted_boxes[2]));
  for (std::size_t batch = 0; batch < boxes.size(); ++batch) {
    CHECK(boxes[batch].equal(wanted_boxes[batch]));
    CHECK(labels[batch].equal(wanted_labels[batch]));
  }
}

TEST_CASE("a batch of fewer rows than the others has just those, in the same buffers") {
  const TempDir dir;
  DrawnStore{.train = 5}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto pictures = reader.pictures("train");
  BatchLoader whole_loader(reader, validation_sequence(pictures, 5, 0, 1), 0, {.batch = 5});
  DeviceFeed whole_feed(whole_loader, torch::kCPU, torch::kFloat);
  const Batch whole = *whole_feed.next();
  BatchLoader loader(reader, micro_batches(validation_sequence(pictures, 5, 0, 1), 2), 0,
                     {.batch = 3});  // 2 rows, then 3
  DeviceFeed feed(loader, torch::kCPU, torch::kFloat);
  std::int64_t first = 0;
  for (const std::int64_t rows : {2, 3}) {
    const Batch& batch = *feed.next();
    CHECK(batch.images.is_contiguous(torch::MemoryFormat::ChannelsLast));
    CHECK(batch.images.equal(whole.images.narrow(0, first, rows)));
    CHECK(batch.boxes.equal(whole.boxes.narrow(0, first, rows)));
    CHECK(batch.flags.equal(whole.flags.narrow(0, first, rows)));
    CHECK(batch.label.equal(whole.label.narrow(0, first, rows)));
    CHECK(batch.weight.equal(torch::ones({rows})));
    first += rows;
  }
}

TEST_CASE(
    "on a CPU all waiting for a slow reader is starving, none while there is time to read ahead") {
  const TempDir dir;
  DrawnStore{.train = 6}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto work = [](const RowPlace&) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
  };
  BatchLoader loader(reader, validation_sequence(reader.pictures("train"), 2, 0, 1), 0,
                     {.batch = 2, .threads = 1, .before_read = work});
  DeviceFeed feed(loader, torch::kCPU, torch::kFloat);
  CHECK(feed.starved_s() == 0);
  while (feed.next()) feed.prefetch();
  CHECK(feed.starved_s() >
        0.08);  // of 6 rows at 20 ms; the first may have begun before the first next()
  CHECK(feed.starved_s() == loader.waited_s());
}

TEST_CASE("a device starves only while it is idle and its data are still being read") {
  CHECK(starved(0, 3) == 0);     // the host waited 3 s beside a busy device
  CHECK(starved(2, 3) == 2);     // the device ran dry 1 s after the waiting began
  CHECK(starved(5, 3) == 3);     // the rest has other reasons
  CHECK(starved(-0.1, 3) == 0);  // times of events are rounded
}
