#include "trainer/fit/step/step_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/trainer/device/immediate_streams.h"
#include "tests/trainer/fit/run_bench.h"
#include "trainer/device/device.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/network/freeze.h"

using namespace letterpress;

namespace {

struct Counts {
  int made = 0, warm_ups = 0, captures = 0, replays = 0;
};

/// As a device's graph, on the CPU: its replays do the captured work again.
class Repeated final : public DeviceGraph {
 public:
  explicit Repeated(Counts& counts) : counts_(counts) { ++counts_.made; }
  void warm_up(const Work& work) override {
    ++counts_.warm_ups;
    work();
  }
  void capture(const Work& work) override {
    ++counts_.captures;
    work_ = work;
  }
  void replay() override {
    ++counts_.replays;
    work_();
  }
  DeviceStreams& streams() override { return streams_; }

 private:
  Counts& counts_;
  Work work_;
  ImmediateStreams streams_;
};

GraphMaker repeated(Counts& counts) {
  return [&counts] { return std::make_unique<Repeated>(counts); };
}

/// Two drawn pictures of side 32 with a box and a class each, others for every number.
Batch drawn(std::uint64_t number, std::int64_t max_boxes = 1) {
  torch::manual_seed(number);
  Batch batch;
  batch.images = torch::rand({2, 3, 32, 32}).contiguous(torch::MemoryFormat::ChannelsLast);
  const torch::Tensor corner = torch::rand({2, 1, 2}) * 8,
                      box = torch::cat({corner, corner + 16, torch::ones({2, 1, 1})}, 2);
  batch.boxes = box.repeat({1, max_boxes, 1});
  batch.flags = torch::zeros({2, max_boxes}, torch::kByte);
  batch.label = torch::randint(3, {2}, torch::kLong);
  batch.weight = torch::ones({2});
  return batch;
}

struct Way {
  std::string model = "yolov8n";
  int parts = 1;
  std::set<int> frozen{};  ///< steps, from 0, in which the backbone does not train
};

struct Trained {
  std::vector<torch::Tensor>
      values{};  ///< parameters, statistics, averages, the totals of each step
  Counts counts{};
  bool replays = false;  ///< the last step
  std::set<const void*>
      places{};  ///< of one parameter's gradient, since the second step of each stage
};

Trained train(const Way& way, bool with_graph) {
  constexpr int kSteps = 10;
  Trained trained;
  Network network(make_model(way.model, {.classes = 3, .side = 32}));
  network.initialise(5);
  network.use_channels_last();
  network.train();
  const auto loss = make_loss(network.graph());
  const auto optimiser =
      make_optimiser({.name = "adamw", .weight_decay = 0.1}, network.parameters());
  WeightEma ema(parameters_and_statistics_of(network), {});
  TrainingStep step({.network = network,
                     .loss = *loss,
                     .optimiser = *optimiser,
                     .ema = &ema,
                     .graphs = with_graph ? repeated(trained.counts) : GraphMaker()});
  const torch::Tensor last = network.parameters().back().value;
  for (int i = 0; i < kSteps; ++i) {
    network.freeze_layers(way.frozen.contains(i) ? layers_to_freeze(network.graph(), "backbone")
                                                 : std::set<std::string>{});
    for (int part = 0; part < way.parts; ++part) {
      const Batch batch = drawn(static_cast<std::uint64_t>(i * way.parts + part));
      seed_step(torch::kCPU, 1, i * way.parts + part);
      step.accumulate(batch);
    }
    trained.values.push_back(step.update(0.01));
    if (i == kSteps - 4) trained.places.clear();
    if (last.grad().defined()) trained.places.insert(last.grad().data_ptr());
  }
  for (const NamedTensor& tensor : parameters_and_statistics_of(network))
    trained.values.push_back(tensor.value.detach());
  for (const NamedTensor& tensor : ema.averages()) trained.values.push_back(tensor.value);
  trained.replays = step.replays();
  return trained;
}

/// What the training with a graph did.
Trained check_same(const Way& way) {
  const Trained plain = train(way, false), replayed = train(way, true);
  CHECK(plain.counts.made == 0);
  CHECK_FALSE(plain.replays);
  CHECK(replayed.replays);
  CHECK(replayed.places.size() == 1);
  REQUIRE(plain.values.size() == replayed.values.size());
  for (std::size_t i = 0; i < plain.values.size(); ++i) {
    CAPTURE(i);
    CHECK(torch::equal(plain.values[i], replayed.values[i]));
  }
  return replayed;
}

}  // namespace

TEST_CASE(
    "a graph's work is done as it is three times, then captured; it reads in one place, and what a "
    "replay gives stays") {
  Counts counts;
  std::set<const void*> places;
  const torch::Tensor sum = torch::zeros({});
  StepGraph graph(
      [&](const Batch& batch) {
        places.insert(batch.images.data_ptr());
        return sum.copy_(batch.images.sum());
      },
      repeated(counts));
  std::vector<torch::Tensor> results, wanted;
  for (std::uint64_t i = 0; i < 6; ++i) {
    CHECK(graph.captured() == (i > 3));
    const Batch batch = drawn(i);
    results.push_back(graph.run(batch, true));
    CHECK(results.back().item<float>() == batch.images.sum().item<float>());
    wanted.push_back(batch.images.sum());
  }
  CHECK(results[3].item<float>() == wanted[3].item<float>());
  CHECK(results[4].item<float>() == wanted[4].item<float>());
  CHECK(places.size() == 1);
  CHECK(counts.warm_ups == CapturedWork::kWarmUps);
  CHECK(counts.captures == 1);
  CHECK(counts.replays == 3);
}

TEST_CASE("a graph is not captured before it may be, and anew for batches of another shape") {
  Counts counts;
  StepGraph graph([](const Batch& batch) { return batch.boxes.sum(); }, repeated(counts));
  for (std::uint64_t i = 0; i < 6; ++i) graph.run(drawn(i), false);
  CHECK(counts.warm_ups == 6);
  CHECK_FALSE(graph.captured());
  graph.run(drawn(6), true);
  CHECK(graph.captured());
  graph.run(drawn(7), false);
  CHECK(counts.replays == 2);
  const Batch wider = drawn(8, 2);
  CHECK(graph.run(wider, true).item<float>() == wider.boxes.sum().item<float>());
  CHECK_FALSE(graph.captured());
  CHECK(counts.made == 2);
  CHECK(counts.warm_ups == 7);
}

TEST_CASE(
    "a training that replays micro-batches is the one that does not, bit for bit; its gradients "
    "stay where they lie") {
  const Trained whole = check_same({});
  CHECK(whole.counts.warm_ups == 3);
  CHECK(whole.counts.captures == 1);
  CHECK(whole.counts.replays == 7);
  const Trained cut = check_same({.parts = 2});
  CHECK(cut.counts.warm_ups == 4);  // two steps: a step's first micro-batch is the one to capture
  CHECK(cut.counts.captures == 1);
  CHECK(cut.counts.replays == 16);
  check_same({.model = "minigooglenet"});
}

TEST_CASE(
    "it is captured again when layers thaw or freeze, and those that freeze keep their weights") {
  for (const std::set<int>& frozen : {std::set{0, 1, 2, 3, 4}, std::set{5, 6, 7, 8, 9}}) {
    const Trained trained = check_same({.frozen = frozen});
    CHECK(trained.counts.made == 2);
    CHECK(trained.counts.warm_ups == 6);
    CHECK(trained.counts.captures == 2);
    CHECK(trained.counts.replays == 4);
  }
}

TEST_CASE("CUDA graphs are refused for a model on the CPU") {
  check_error(
      Exit::configuration,
      "--cuda-graph on: is for CUDA devices, this is on the CPU; leave the flag out, or name "
      "a device with --device cuda:N",
      [] {
        RunModel(make_model("yolov8n", {.classes = 3, .side = 32}), {.cuda_graph = "on"},
                 torch::kCPU);
      });
}
