#include "trainer/fit/step/training_step.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/loader/batch_sequence.h"

using namespace letterpress;

namespace {

// Two convolutions without norms, so that a batch in parts and a batch in one piece are the same
// function.
Graph plain_graph() {
  Graph graph{
      .model = "plain", .loss = "yolov3", .classes = 3, .side = 64, .anchors = {10, 10, 20, 20}};
  graph.layers = {{.name = "input", .kind = LayerKind::input, .channels = 3, .stage = "backbone"},
                  {.name = "body",
                   .kind = LayerKind::conv,
                   .inputs = {0},
                   .channels = 16,
                   .kernel = 8,
                   .stride = 8,
                   .activation = Activation::leaky_relu,
                   .stage = "backbone"},
                  {.name = "output",
                   .kind = LayerKind::conv,
                   .inputs = {1},
                   .channels = 16,
                   .kernel = 4,
                   .stride = 4,
                   .stage = "head"},
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

struct TrainedParts {
  torch::Tensor weights, totals;
};

TrainedParts train_parts(const SnapshotReader& reader, int parts, int steps) {
  const Graph graph = plain_graph();
  Network network(graph);
  network.initialise(5);
  network.use_channels_last();
  network.train();
  const auto loss = make_loss(graph);
  const auto optimiser = make_optimiser({.name = "sgd", .clip_norm = 1}, network.parameters());
  TrainingStep step({network, *loss, *optimiser});
  const auto pictures = reader.pictures("train");
  BatchLoader loader(
      reader,
      micro_batches(training_sequence(
                        pictures, {.seed = 1, .global_batch = 8, .first_clean_epoch = 100}, 0, 1),
                    parts),
      0, {.batch = 8 / parts});
  DeviceFeed feed(loader, torch::kCPU, torch::kFloat);
  torch::Tensor totals;
  for (int i = 0; i < steps; ++i) {
    for (int part = 0; part < parts; ++part) step.accumulate(*feed.next());
    totals = step.update(0.01);
  }
  std::vector<torch::Tensor> flat;
  for (const NamedTensor& parameter : network.parameters())
    flat.push_back(parameter.value.detach().flatten());
  return {torch::cat(flat), totals};
}

}  // namespace

TEST_CASE("a batch in 2, 4 or 8 parts trains as one batch does") {
  const TempDir dir;
  DrawnStore{.train = 16}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const TrainedParts whole = train_parts(reader, 1, 3);
  for (const int parts : {2, 4, 8}) {
    CAPTURE(parts);
    const TrainedParts cut = train_parts(reader, parts, 3);
    CHECK(torch::allclose(cut.weights, whole.weights, 1e-4, 1e-6));
    CHECK(torch::allclose(cut.totals, whole.totals, 1e-4, 1e-4));
  }
  CHECK(whole.totals[4].item<double>() == 8);   // the normaliser: pictures
  CHECK(whole.totals[5].item<double>() == 16);  // two rectangles in each
  CHECK_FALSE(torch::allclose(train_parts(reader, 1, 2).weights, whole.weights, 1e-4, 1e-6));
}

TEST_CASE("a step in which nothing is to be found divides by 1, not by 0") {
  Network network(make_model("yolov8n", {.classes = 1, .side = 32}));
  network.initialise(5);
  network.train();
  const auto loss = make_loss(network.graph());
  const auto optimiser = make_optimiser({.name = "sgd", .clip_norm = 0}, network.parameters());
  TrainingStep step({network, *loss, *optimiser});
  Batch batch;
  batch.images = torch::rand({2, 3, 32, 32});
  batch.boxes = torch::tensor({0.f, 0.f, 0.f, 0.f, -1.f}).view({1, 1, 5}).repeat({2, 1, 1});
  batch.flags = torch::zeros({2, 1}, torch::kByte);
  batch.weight = torch::ones({2});
  step.accumulate(batch);
  const torch::Tensor totals = step.update(0.01);
  CHECK(totals[3].item<double>() == 1);
  CHECK(totals[1].item<double>() > 0);
  CHECK(totals[4].item<double>() == 0);
  CHECK(optimiser->skipped().item<double>() == 0);
  for (const NamedTensor& parameter : network.parameters())
    CHECK(parameter.value.isfinite().all().item<bool>());
}

TEST_CASE("objects of a step count less than 0 when the model's boxes overlap none of them") {
  Network network(make_model("yolov8n", {.classes = 1, .side = 64}));
  network.initialise(5);
  network.train();
  const auto loss = make_loss(network.graph());
  const auto optimiser = make_optimiser({.name = "sgd"}, network.parameters());
  TrainingStep step({network, *loss, *optimiser});
  Batch batch;
  batch.images = torch::rand({2, 3, 64, 64});
  batch.boxes = torch::tensor({4.f, 4.f, 60.f, 60.f, 0.f}).view({1, 1, 5}).repeat({2, 2, 1});
  batch.flags = torch::zeros({2, 2}, torch::kByte);
  batch.flags[1][1] = static_cast<int>(kCrowd);
  batch.weight = torch::ones({2});
  step.accumulate(batch);
  step.accumulate(batch);
  CHECK(step.update(0)[4].item<double>() == 6);  // twice three, as a crowd is not an object
  {
    const torch::NoGradGuard no_gradient;
    for (const NamedTensor& parameter : network.parameters())  // all scores are sigmoid(-200)
      parameter.value.fill_(parameter.name.ends_with("bias") ? -200 : 0);
  }
  step.accumulate(batch);
  const torch::Tensor totals = step.update(0);
  CHECK(totals[4].item<double>() == -3);
  CHECK(totals[3].item<double>() == 1);
}

namespace {

struct Scaled {
  std::vector<torch::Tensor> parameters{};
  double scale = 0, skipped = 0;
};

/// Two steps of a network in float32, the second maybe with a picture that is not finite, with a
/// scaler or without.
Scaled two_steps(bool scaled, bool broken) {
  Network network(make_model("yolov8n", {.classes = 1, .side = 32}));
  network.initialise(5);
  network.train();
  const auto loss = make_loss(network.graph());
  const auto optimiser = make_optimiser({.name = "sgd", .clip_norm = 1}, network.parameters());
  GradientScaler scaler(torch::kCPU);
  TrainingStep step({.network = network,
                     .loss = *loss,
                     .optimiser = *optimiser,
                     .scaler = scaled ? &scaler : nullptr});
  Batch batch;
  batch.images = torch::linspace(0, 1, 2 * 3 * 32 * 32).view({2, 3, 32, 32});
  batch.boxes = torch::tensor({4.f, 6.f, 20.f, 28.f, 0.f}).view({1, 1, 5}).repeat({2, 1, 1});
  batch.flags = torch::zeros({2, 1}, torch::kByte);
  batch.weight = torch::ones({2});
  step.accumulate(batch);
  step.update(0.01);
  std::vector<torch::Tensor> first;
  for (const NamedTensor& parameter : network.parameters())
    first.push_back(parameter.value.detach().clone());
  if (broken) batch.images = batch.images.clone().fill_(std::numeric_limits<float>::infinity());
  step.accumulate(batch);
  step.update(0.01);
  Scaled result{.scale = scaler.scale().item<double>(),
                .skipped = optimiser->skipped().item<double>()};
  for (const NamedTensor& parameter : network.parameters())
    result.parameters.push_back(parameter.value.detach().clone());
  if (broken) {
    for (std::size_t i = 0; i < first.size(); ++i)
      CHECK(torch::equal(first[i], result.parameters[i]));
  }
  return result;
}

}  // namespace

TEST_CASE("a scale that is a power of two changes no bit of what float32 learns") {
  const Scaled plain = two_steps(false, false), scaled = two_steps(true, false);
  REQUIRE(plain.parameters.size() == scaled.parameters.size());
  for (std::size_t i = 0; i < plain.parameters.size(); ++i)
    CHECK(torch::equal(plain.parameters[i], scaled.parameters[i]));
  CHECK(scaled.scale == 65536);
  CHECK(scaled.skipped == 0);
}

TEST_CASE("a step whose gradients are not finite is left out and halves the scale") {
  const Scaled scaled = two_steps(true, true);
  CHECK(scaled.scale == 32768);
  CHECK(scaled.skipped == 1);
}
