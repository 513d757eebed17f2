#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <torch/cuda.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"
#include "trainer/device/device.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/rates/device_rate.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/loader/batch_sequence.h"

using namespace letterpress;

namespace {

struct Trained {
  std::vector<double> losses;  ///< per step
  double map50 = 0;
};

// The same start, the same batches, on `device`.
Trained train(const SnapshotReader& reader, torch::Device device, const std::string& precision,
              int steps) {
  const auto pictures = reader.pictures("train");
  const AnchorChoice anchors = choose_anchors("auto", "yolov3-tiny", reader, pictures, nullptr);
  RunModel model(make_graph("yolov3-tiny", reader.snapshot(), anchors),
                 {.ema = 0, .precision = precision}, device);
  const torch::Dtype type = arithmetic_type(precision, device);
  LoaderOptions loading{.batch = 8, .threads = 1};
  load_for(device, type, loading);
  BatchLoader loader(
      reader,
      training_sequence(pictures, {.seed = 1, .global_batch = 8, .first_clean_epoch = 0}, 0, 1), 0,
      loading);
  DeviceFeed feed(loader, device, type);
  Trained result;
  for (int step = 0; step < steps; ++step) {
    model.step().accumulate(*feed.next());
    const torch::Tensor totals = model.step().update(0.0005);
    feed.prefetch();
    result.losses.push_back(totals.narrow(0, 0, 4).sum().item<double>() / 8);
  }
  result.map50 = evaluate(model.network(), reader, pictures, {.device = device, .batch = 4})->map50;
  return result;
}

struct Case {
  TempDir dir;
  Case() { DrawnStore{.side = 96, .train = 8, .val = 0}.publish(dir / "store"); }
  SnapshotReader reader() const {
    const Store store = Store::open(dir / "store");
    return {store, *store.latest()};
  }
};

}  // namespace

TEST_CASE("the first steps on a GPU lose what they lose on the CPU") {
  const Case drawn;
  const SnapshotReader reader = drawn.reader();
  const Trained cpu = train(reader, torch::kCPU, "fp32", 3),
                gpu = train(reader, torch::Device(torch::kCUDA, 0), "fp32", 3);
  for (std::size_t step = 0; step < cpu.losses.size(); ++step) {
    CAPTURE(step);
    CHECK(gpu.losses[step] == doctest::Approx(cpu.losses[step]).epsilon(step == 0 ? 1e-3 : 2e-2));
  }
}

TEST_CASE("a GPU learns 8 drawn pictures by heart in bf16 and in fp16") {
  const Case drawn;
  const SnapshotReader reader = drawn.reader();
  for (const std::string precision : {"bf16", "fp16"}) {
    CAPTURE(precision);
    const Trained gpu = train(reader, torch::Device(torch::kCUDA, 0), precision, 300);
    CHECK(gpu.losses.back() < gpu.losses.front() / 4);
    CHECK(gpu.map50 > 0.95);
  }
}

TEST_CASE("what a loader reads for a GPU is page-locked memory that begins on a page") {
  const Case drawn;
  const SnapshotReader reader = drawn.reader();
  LoaderOptions loading{.batch = 8, .threads = 1};
  load_for(torch::Device(torch::kCUDA, 0), torch::kFloat, loading);
  CHECK((loading.pixels == PixelType::bytes));
  BatchLoader loader(reader, training_sequence(reader.pictures("train"), {.global_batch = 8}, 0, 1),
                     0, loading);
  for (int b = 0; b < loading.buffers; ++b) {
    std::uint8_t* const images = loader.next()->images;
    CHECK(reinterpret_cast<std::uintptr_t>(images) % 4096 == 0);
    CHECK(torch::from_blob(images, {8, 96, 96, 3}, torch::kByte).is_pinned());
  }
}

TEST_CASE("rows go into a GPU's memory no faster than page-locked memory is copied there") {
  const Case drawn;
  const SnapshotReader reader = drawn.reader();
  const LoaderTrial trial{
      .reader = reader, .pictures = reader.pictures("train"), .loading = {.batch = 4}, .runs = 3};
  const DeviceRate rate = measure_device_rate(trial, torch::Device(torch::kCUDA, 0));
  CHECK(rate.rows.median > 0);
  CHECK(rate.bus.median >
        rate.rows.median / 2);  // batches of 110 kB: what a copy takes to begin counts, too
  CHECK(rate.device.starts_with("cuda:0"));
}

TEST_CASE("in fp16 the gradients are scaled, and the scale is in the checkpoint") {
  const Case drawn;
  const SnapshotReader reader = drawn.reader();
  const Graph graph = make_model("yolov3-tiny", {.classes = 3, .side = 96});
  RunModel model(graph, {.ema = 0, .precision = "fp16"}, torch::Device(torch::kCUDA, 0));
  const auto tensors = model.tensors(true);
  REQUIRE(tensors.contains("optimiser.scaler.scale"));
  CHECK(tensors.at("optimiser.scaler.scale").item<float>() == 65536);
  CHECK_FALSE(RunModel(graph, {.ema = 0, .precision = "bf16"}, torch::Device(torch::kCUDA, 0))
                  .tensors(true)
                  .contains("optimiser.scaler.scale"));
}

int main(int argc, char** argv) {
  if (!torch::cuda::is_available()) {
    std::cout << "skipped: no CUDA device on this machine\n";
    return 77;
  }
  // Before the first test has made cuBLAS's handle. That --deterministic does so by itself is what
  // deterministic_test is for.
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  return doctest::Context(argc, argv).run();
}
