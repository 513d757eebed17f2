#include "trainer/fit/training_step.h"

#include <doctest/doctest.h>

#include <cmath>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"
#include "trainer/fit/device.h"
#include "trainer/fit/device_feed.h"
#include "trainer/fit/evaluate.h"
#include "trainer/fit/loss_log.h"

using namespace letterpress;

namespace {

// Two convolutions without norms, so that a batch in parts and a batch in one piece are the same function.
Graph plain_graph() {
  Graph graph{.model = "plain", .loss = "yolov3", .classes = 3, .side = 64, .anchors = {10, 10, 20, 20}};
  graph.layers = {{.name = "input", .kind = LayerKind::input, .channels = 3, .stage = "backbone"},
                  {.name = "body",
                   .kind = LayerKind::conv,
                   .inputs = {0},
                   .channels = 16,
                   .kernel = 8,
                   .stride = 8,
                   .activation = Activation::leaky_relu,
                   .stage = "backbone"},
                  {.name = "output", .kind = LayerKind::conv, .inputs = {1}, .channels = 16, .kernel = 4, .stride = 4, .stage = "head"},
                  {.name = "detections",
                   .kind = LayerKind::head,
                   .inputs = {2},
                   .channels = 16,
                   .stage = "head",
                   .head_stride = 32,
                   .anchor_mask = {0, 1}}};
  graph.outputs = {3};
  return graph;
}

struct Trained {
  torch::Tensor weights, totals;
};

Trained train(const SnapshotReader& reader, int parts, int steps) {
  const Graph graph = plain_graph();
  Network network(graph);
  network.initialise(5);
  use_channels_last(network);
  network.train();
  const auto loss = make_loss(graph);
  const auto optimiser = make_optimiser({.name = "sgd", .clip_norm = 1}, parameters_of(network));
  TrainingStep step({network, *loss, *optimiser});
  const auto pictures = reader.pictures("train");
  BatchLoader loader(reader, micro_batches(training_sequence(pictures, 1, 8, 0, 1, 100), parts), 0, {.batch = 8 / parts});
  DeviceFeed feed(loader, torch::kCPU, torch::kFloat, {8 / parts, 64, max_boxes_of(reader)});
  torch::Tensor totals;
  for (int i = 0; i < steps; ++i) {
    for (int part = 0; part < parts; ++part) step.accumulate(*feed.next());
    totals = step.update(0.01);
  }
  std::vector<torch::Tensor> flat;
  for (const NamedTensor& parameter : parameters_of(network)) flat.push_back(parameter.value.detach().flatten());
  return {torch::cat(flat), totals};
}

}  // namespace

TEST_CASE("a batch in 2, 4 or 8 parts trains as one batch does") {
  const TempDir dir;
  DrawnStore{.train = 16}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const Trained whole = train(reader, 1, 3);
  for (const int parts : {2, 4, 8}) {
    CAPTURE(parts);
    const Trained cut = train(reader, parts, 3);
    CHECK(torch::allclose(cut.weights, whole.weights, 1e-4, 1e-6));
    CHECK(torch::allclose(cut.totals, whole.totals, 1e-4, 1e-4));
  }
  CHECK(whole.totals[4].item<double>() == 8);  // the normaliser: pictures
  CHECK_FALSE(torch::allclose(train(reader, 1, 2).weights, whole.weights, 1e-4, 1e-6));
}

TEST_CASE("bytes become 0..1 in channels_last, in float32 and bfloat16") {
  const torch::Tensor packed = torch::tensor({0, 51, 255, 102, 1, 254}, torch::kByte).view({1, 1, 2, 3});
  torch::Tensor images = torch::empty({1, 3, 1, 2}, torch::TensorOptions(torch::kFloat), torch::MemoryFormat::ChannelsLast);
  normalise(packed, images);
  const torch::Tensor wanted = torch::tensor({0.0, 0.4, 0.2, 1.0 / 255, 1.0, 254.0 / 255}).view({1, 3, 1, 2});
  CHECK(torch::allclose(images, wanted.to(torch::kFloat), 0, 1e-7));
  CHECK(images.is_contiguous(torch::MemoryFormat::ChannelsLast));
  torch::Tensor half = torch::empty({1, 3, 1, 2}, torch::TensorOptions(torch::kBFloat16), torch::MemoryFormat::ChannelsLast);
  normalise(packed, half);
  CHECK(torch::allclose(half.to(torch::kFloat), wanted.to(torch::kFloat), 1.0 / 256, 0));  // rounded once
}

TEST_CASE("the feed gives pixels, boxes and rows of the loader's batches, and ends with them") {
  const TempDir dir;
  DrawnStore{.train = 5}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto pictures = reader.pictures("train");
  BatchLoader loader(reader, validation_sequence(pictures, 2, 0, 1), 0, {.batch = 2});
  DeviceFeed feed(loader, torch::kCPU, torch::kFloat, {2, 64, 8});
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
      CHECK(torch::equal(batch->boxes[i].flatten(), torch::tensor(std::vector<float>(boxes.begin(), boxes.end()))));
      std::vector<std::uint8_t> pixels(3 * 64 * 64);
      shard.read_images(place.row, 1, pixels.data());
      const torch::Tensor image = (batch->images[i].permute({1, 2, 0}) * 255).round().to(torch::kByte).contiguous();
      CHECK(torch::equal(image.flatten(), torch::tensor(pixels, torch::kByte)));
      CHECK(batch->label[i].item<std::int64_t>() == -1);
      CHECK(batch->flags[i].sum().item<std::int64_t>() == 0);
    }
  }
  CHECK(seen == 5);
  CHECK(feed.next() == nullptr);
}

TEST_CASE("the log sums steps, and a loss that is not finite names its step, terms and rows") {
  const TempDir dir;
  DrawnStore{.train = 4}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  LossLog log({"box", "class"}, 2, torch::kCPU, reader);
  log.record(1, torch::tensor({1.0F, 2.0F, 4.0F}), {{0, 0}});
  CHECK_FALSE(log.full());
  log.record(2, torch::tensor({0.5F, 0.25F, 4.0F}), {{0, 1}});
  CHECK(log.full());
  CHECK(log.look() == std::vector<double>{1.5, 2.25, 8});
  CHECK(log.look() == std::vector<double>{0, 0, 0});
  log.record(3, torch::tensor({1.0F, 1.0F, 4.0F}), {{0, 0}});
  log.record(4, torch::tensor({1.0F, NAN, 4.0F}), {{0, 2}, {-1, -1}, {0, 3}});
  CHECK_THROWS_WITH_AS(log.look(), doctest::Contains("step 4: the loss is not finite (box 1, class nan); its rows: train2.png ("), Error);
  CHECK_THROWS_WITH_AS(log.look(), doctest::Contains(".h5 row 2), train3.png ("), Error);
  CHECK(name_rows(reader, {{0, 0}, {0, 1}, {0, 2}}, 1).ends_with(".h5 row 0) and 2 more"));
}
