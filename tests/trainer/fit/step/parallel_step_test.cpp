#include <ATen/CPUGeneratorImpl.h>
#include <doctest/doctest.h>

#include <cmath>

#include "tests/trainer/parallel/ranks_in_threads.h"
#include "trainer/fit/step/training_step.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/parallel/sync_batch_norm.h"

using namespace letterpress;

namespace {

/// Keeps the gradients that an optimiser would apply, in float64.
class Recorder final : public Optimiser {
 public:
  explicit Recorder(std::vector<NamedTensor> parameters) : parameters_(std::move(parameters)) {}
  torch::Tensor step(double, const torch::Tensor& scale) override {
    for (const NamedTensor& parameter : parameters_)
      applied[parameter.name] = parameter.value.grad() * scale.to(torch::kDouble);
    return scale;
  }
  void clear_gradients() override {
    for (NamedTensor& parameter : parameters_) parameter.value.mutable_grad() = torch::Tensor();
  }
  void zero_gradients() override {
    for (NamedTensor& parameter : parameters_) parameter.value.mutable_grad().zero_();
  }
  torch::Tensor skipped() const override { return torch::zeros({}); }
  std::map<std::string, torch::Tensor> state() const override { return {}; }
  void load_state(const std::map<std::string, torch::Tensor>&) override {}

  std::map<std::string, torch::Tensor> applied;

 private:
  std::vector<NamedTensor> parameters_;
};

/// `batch` drawn pictures with one to three boxes each, or with a class for the whole picture, the
/// same at each call.
Batch drawn(std::int64_t batch, bool whole_pictures = false) {
  const std::int64_t side = whole_pictures ? 32 : 64;
  at::Generator random = at::detail::createCPUGenerator(3);
  Batch drawn;
  drawn.images = torch::rand({batch, 3, side, side}, random, torch::kDouble)
                     .contiguous(torch::MemoryFormat::ChannelsLast);
  const torch::Tensor corner = torch::rand({batch, 3, 2}, random) * 30,
                      size = torch::rand({batch, 3, 2}, random) * 24 + 8;
  const torch::Tensor classes =
      torch::arange(batch * 3).view({batch, 3, 1}).remainder(3).to(torch::kFloat);
  drawn.boxes = torch::cat({corner, corner + size, classes}, 2);
  for (std::int64_t i = 0; i < batch; ++i)
    drawn.boxes[i]
        .narrow(0, 1 + i % 3, 2 - i % 3)
        .copy_(torch::tensor({0.0f, 0.0f, 0.0f, 0.0f, -1.0f}));
  drawn.flags = torch::zeros({batch, 3}, torch::kByte);
  drawn.label =
      whole_pictures ? torch::arange(batch).remainder(3) : torch::full({batch}, -1, torch::kLong);
  drawn.weight = torch::ones({batch});
  return drawn;
}

Batch cut(const Batch& whole, std::int64_t first, std::int64_t rows) {
  const auto part = [&](const torch::Tensor& tensor) { return tensor.narrow(0, first, rows); };
  return {part(whole.images), part(whole.boxes),  part(whole.flags),
          part(whole.label),  part(whole.weight), {}};
}

struct Stepped {
  std::map<std::string, torch::Tensor> gradients;
  torch::Tensor totals, statistics;
};

struct Way {
  int ranks = 1, parts = 1;
  std::int64_t batch = 6;
  bool training = false;  ///< norms compute with their batch
  bool synchronised = false;
  std::string model = "yolov3-tiny";
  bool whole_pictures() const { return model == "minigooglenet"; }
};

/// One step in float64; what rank 0 sees, which all others must see too.
Stepped step(const Way& way) {
  std::vector<Stepped> seen(static_cast<std::size_t>(way.ranks));
  on_ranks(way.ranks, [&](RankGroup* group) {
    Network network(make_model(way.model, {.classes = 3, .side = way.whole_pictures() ? 32 : 64}));
    network.initialise(5);
    network.to(torch::kDouble);
    network.use_channels_last();
    network.train(way.training);
    if (way.synchronised && group) {
      network.set_training_norm([group](const torch::Tensor& x, const NormTensors& norm) {
        return sync_batch_norm(*group, x, norm);
      });
    }
    const auto loss = make_loss(network.graph());
    Recorder recorder(network.parameters());
    const int rank = group ? group->rank() : 0;
    const std::int64_t begin = way.batch * rank / way.ranks,
                       rows = rows_of_rank(way.batch, rank, way.ranks);
    TrainingStep step({.network = network,
                       .loss = *loss,
                       .optimiser = recorder,
                       .group = group,
                       .share = static_cast<double>(rows) / static_cast<double>(way.batch)});
    const Batch whole = drawn(way.batch, way.whole_pictures());
    for (int part = 0; part < way.parts; ++part) {
      const std::int64_t first = rows * part / way.parts, last = rows * (part + 1) / way.parts;
      step.accumulate(cut(whole, begin + first, last - first), part + 1 == way.parts);
    }
    Stepped& own = seen[static_cast<std::size_t>(rank)];
    own.totals = step.update(0.1);
    own.gradients = recorder.applied;
    own.statistics = network.statistics().clone();
  });
  for (const Stepped& other : seen) {
    CHECK(other.totals.equal(seen[0].totals));
    CHECK(other.statistics.equal(seen[0].statistics));
    for (const auto& [name, gradient] : seen[0].gradients)
      CHECK(other.gradients.at(name).equal(gradient));
  }
  return seen[0];
}

}  // namespace

TEST_CASE(
    "1, 2 and 3 ranks and micro-batches give the gradients of one batch, to 1e-9 of each tensor in "
    "float64") {
  for (const std::int64_t batch : {6, 7}) {
    const Stepped whole = step({.batch = batch});
    CHECK(whole.totals[4].item<double>() == static_cast<double>(batch));
    for (const Way& way : {Way{1, 2, batch}, Way{2, 1, batch}, Way{2, 2, batch}, Way{3, 1, batch},
                           Way{3, 2, batch}}) {
      CAPTURE(way.batch);
      CAPTURE(way.ranks);
      CAPTURE(way.parts);
      const Stepped shared = step(way);
      CHECK(torch::allclose(shared.totals, whole.totals, 1e-5, 1e-5));
      CHECK(shared.statistics.equal(whole.statistics));  // eval mode: every bit is kept
      REQUIRE(shared.gradients.size() == whole.gradients.size());
      for (const auto& [name, gradient] : whole.gradients) {
        CAPTURE(name);
        CHECK((shared.gradients.at(name) - gradient).norm().item<double>() <=
              1e-9 * gradient.norm().item<double>());
      }
    }
  }
}

TEST_CASE(
    "without anchors the normaliser is a sum of scores that no rank knows alone: the gradients are "
    "those of one batch all the same") {
  for (const std::string model : {"yolov8n", "yolo11n"}) {
    CAPTURE(model);
    const Stepped whole = step({.batch = 7, .model = model});
    CHECK(whole.totals[3].item<double>() > 1);
    CHECK(whole.totals[3].item<double>() != std::round(whole.totals[3].item<double>()));
    for (const Way& way : {Way{.parts = 2, .batch = 7, .model = model},
                           Way{.ranks = 2, .parts = 2, .batch = 7, .model = model},
                           Way{.ranks = 3, .batch = 7, .model = model}}) {
      CAPTURE(way.ranks);
      CAPTURE(way.parts);
      const Stepped shared = step(way);
      CHECK(torch::allclose(shared.totals, whole.totals, 1e-9, 1e-9));
      for (const auto& [name, gradient] : whole.gradients) {
        CAPTURE(name);
        CHECK((shared.gradients.at(name) - gradient).norm().item<double>() <=
              1e-9 * gradient.norm().item<double>());
      }
    }
  }
}

TEST_CASE("a classifier's gradients are those of one batch, too") {
  const Stepped whole = step({.batch = 7, .model = "minigooglenet"});
  CHECK(whole.totals[1].item<double>() == 7);
  for (const Way& way : {Way{.parts = 2, .batch = 7, .model = "minigooglenet"},
                         Way{.ranks = 2, .parts = 2, .batch = 7, .model = "minigooglenet"},
                         Way{.ranks = 3, .batch = 7, .model = "minigooglenet"}}) {
    CAPTURE(way.ranks);
    CAPTURE(way.parts);
    const Stepped shared = step(way);
    CHECK(torch::allclose(shared.totals, whole.totals, 1e-5, 1e-5));
    for (const auto& [name, gradient] : whole.gradients) {
      CAPTURE(name);
      CHECK((shared.gradients.at(name) - gradient).norm().item<double>() <=
            1e-9 * gradient.norm().item<double>());
    }
  }
}

TEST_CASE(
    "with synchronised norms the same holds in training, and every rank moves the statistics "
    "alike") {
  const Stepped whole = step({.batch = 7, .training = true});
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    const Stepped shared =
        step({.ranks = ranks, .batch = 7, .training = true, .synchronised = true});
    CHECK(torch::allclose(shared.statistics, whole.statistics, 1e-6,
                          1e-7));  // their changes travel in float32
    for (const auto& [name, gradient] : whole.gradients) {
      CAPTURE(name);
      CHECK((shared.gradients.at(name) - gradient).norm().item<double>() <=
            1e-9 * gradient.norm().item<double>());
    }
  }
  const Stepped apart = step({.ranks = 2, .batch = 7, .training = true});
  CHECK((apart.gradients.at("conv1.weight") - whole.gradients.at("conv1.weight"))
            .norm()
            .item<double>() > 1e-6);
}

TEST_CASE("the gradients of another batch are others") {
  const Stepped six = step({.ranks = 2, .batch = 6}), seven = step({.ranks = 2, .batch = 7});
  const std::string name = "scale16_output.weight";
  CHECK((six.gradients.at(name) - seven.gradients.at(name)).norm().item<double>() >
        1e-3 * six.gradients.at(name).norm().item<double>());
}

TEST_CASE("running statistics are the mean of the ranks' own, each by its share of the pictures") {
  const Stepped shared = step({.ranks = 2, .batch = 7, .training = true});
  torch::Tensor mean;
  for (const auto& [first, rows] : {std::pair{0, 3}, std::pair{3, 4}}) {
    Network network(make_model("yolov3-tiny", {.classes = 3, .side = 64}));
    network.initialise(5);
    network.to(torch::kDouble);
    network.use_channels_last();
    network.train();
    network.forward(cut(drawn(7), first, rows).images);
    const torch::Tensor weighted = network.statistics() * (rows / 7.0);
    mean = mean.defined() ? mean + weighted : weighted;
  }
  CHECK(torch::allclose(shared.statistics, mean, 1e-5, 1e-6));
}
