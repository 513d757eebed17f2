#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <set>

#include "tests/trainer/fit/train_on_ranks.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/multi_scale.h"

using namespace letterpress;

namespace {

/// Boxes of 10 x 10 pixels around the middle of each cell of 32, for pictures of side 128.
std::unique_ptr<Network> middles_of_cells() {
  Graph graph{.model = "middles", .loss = "yolov3", .classes = 1, .side = 128, .anchors = {10, 10}};
  graph.layers = {{.name = "input", .kind = LayerKind::input, .channels = 3, .stage = "backbone"},
                  {.name = "output",
                   .kind = LayerKind::conv,
                   .inputs = {0},
                   .channels = 6,
                   .kernel = 32,
                   .stride = 32,
                   .stage = "head"},
                  {.name = "boxes",
                   .kind = LayerKind::head,
                   .inputs = {1},
                   .channels = 6,
                   .stage = "head",
                   .head_stride = 32,
                   .anchor_mask = {0}}};
  graph.outputs = {2};
  auto network = std::make_unique<Network>(graph);
  network->initialise(1);
  const torch::NoGradGuard no_gradient;
  for (const NamedTensor& parameter : network->parameters()) parameter.value.zero_();
  return network;
}

Graph graph_of(const std::filesystem::path& run) {
  return read_checkpoint(run / "last.safetensors", true).info.graph;
}

}  // namespace

TEST_CASE("sides to train at are two multiples of 32, the smaller first") {
  CHECK_FALSE(side_range_of("none"));
  CHECK(side_range_of("320-608")->low == 320);
  CHECK(side_range_of("320-608")->high == 608);
  CHECK(side_range_of("64-64")->high == 64);
  CHECK(side_range_of("32-8192")->high == 8192);
  for (const char* wrong : {"", "320", "320-", "-320", "320-600", "0-64", "608-320", "320-608x",
                            "320 - 608", "99999999999-608", "320-8224", "8224-8224"}) {
    check_error(Exit::usage,
                "--multi-scale is '" + std::string(wrong) +
                    "', must be none or two multiples of 32, at most 8192, the smaller first, as "
                    "320-608",
                [&] { side_range_of(wrong); });
  }
}

TEST_CASE(
    "the side of a step is drawn anew every n steps, by seed and step alone, and every side has "
    "its turn") {
  const SideRange range{320, 608};
  std::set<int> seen;
  int changes = 0;
  for (std::int64_t step = 0; step < 2000; ++step) {
    const int side = side_of_step(range, 10, 7, step);
    CHECK(side == side_of_step(range, 10, 7, 10 * (step / 10)));
    if (step > 0 && side != side_of_step(range, 10, 7, step - 1)) ++changes;
    seen.insert(side);
  }
  CHECK(seen == std::set<int>{320, 352, 384, 416, 448, 480, 512, 544, 576, 608});
  CHECK(changes > 150);  // of 199, a tenth of which draw the side that was
  std::set<int> by_seed;
  for (std::uint64_t seed = 0; seed < 40; ++seed) by_seed.insert(side_of_step(range, 10, seed, 0));
  CHECK(by_seed.size() > 5);
  CHECK(side_of_step({64, 64}, 1, 1, 5) == 64);
}

TEST_CASE("a network of another side than the store finds boxes in pixels of the source picture") {
  const TempDir dir;
  DrawnStore{.side = 64, .train = 2, .val = 0}.publish(dir / "store");
  const Store store = Store::open(dir / "store");
  const SnapshotReader reader(store, *store.latest());
  const auto network = middles_of_cells();
  const auto results = detect_pictures(*network, reader, reader.pictures("train"), {.batch = 2});
  REQUIRE(results);
  // Sources of 128 x 96 lie in the upper half of a frame of 64, 8 pixels down: cells of 32 of 128
  // pixels are 32 pixels of the source, and their middles 16 + 32 i across, 32 k down. The first
  // and last row of boxes are cut by the picture's edge.
  for (const PictureResult& result : *results) {
    REQUIRE(result.found.size() == 16);
    std::set<std::pair<long, long>> middles;
    for (const Found& found : result.found) {
      CHECK(found.box.width == doctest::Approx(10));
      const bool cut = found.box.height < 9;
      CHECK(found.box.height == doctest::Approx(cut ? 5 : 10));
      if (!cut) middles.insert({std::lround(found.box.x + 5), std::lround(found.box.y + 5)});
    }
    CHECK(middles ==
          std::set<std::pair<long, long>>{
              {16, 32}, {48, 32}, {80, 32}, {112, 32}, {16, 64}, {48, 64}, {80, 64}, {112, 64}});
  }
}

TEST_CASE(
    "--input-size: the checkpoint says the side that its network was trained at, anchors scaled; "
    "its metrics are eval's") {
  RunBench bench;
  Trainer(bench.options("stored", 1)).run();
  FitOptions options = bench.options("larger", 1);
  options.input_size = 96;
  const FitResult result = Trainer(options).run();
  CHECK(
      bench.noted("the network's pictures have side 96, resized from 64 on the device; anchors and "
                  "boxes are scaled with them"));
  const Checkpoint best = read_checkpoint(options.out / "best.safetensors");
  const Graph stored = graph_of(bench.dir / "stored");
  CHECK(best.info.graph.side == 96);
  CHECK(best.info.stored_side == 64);
  REQUIRE(best.info.graph.anchors.size() == stored.anchors.size());
  for (std::size_t i = 0; i < stored.anchors.size(); ++i)
    CHECK(best.info.graph.anchors[i] == doctest::Approx(1.5 * stored.anchors[i]).epsilon(1e-12));

  const Store store = Store::open(options.store);
  const SnapshotReader reader(store, *store.latest());
  const auto network = network_for_use(best, torch::kCPU);
  CHECK(evaluate(*network, reader, reader.pictures("val"), {.batch = 4})->map50 ==
        doctest::Approx(result.metrics->map50).epsilon(1e-9));
  Snapshot other = reader.snapshot();
  CHECK_NOTHROW(check_fits(best.info, other, "c"));
  other.identity.side = 96;
  CHECK_NOTHROW(check_fits(best.info, other, "c"));
  other.identity.side = 128;
  check_error(Exit::configuration,
              "c: was trained on pictures of side 96, the store's are 128; build a store with",
              [&] { check_fits(best.info, other, "c"); });

  options.resume = true;
  options.epochs = 2;
  CHECK(Trainer(options).run().done.step == 4);
  options.input_size = 64;
  check_error(Exit::configuration, "--input-size is 64, was 96 when the run was begun",
              [&] { Trainer{options}; });
  FitOptions next = bench.options("next", 1);
  next.init = bench.dir / "larger";
  Trainer{next}.run();
  CHECK(bench.noted("6 anchors (of the start weights)"));
  for (std::size_t i = 0; i < stored.anchors.size(); ++i)
    CHECK(graph_of(next.out).anchors[i] == doctest::Approx(stored.anchors[i]).epsilon(1e-12));
}

TEST_CASE(
    "--multi-scale: 6 steps are 3, a SIGTERM and 3 resumed ones, bit for bit; its checkpoint has "
    "the base side") {
  RunBench bench;
  const auto options = [&](const std::string& run) {
    FitOptions made = bench.options(run, 3);
    made.multi_scale = "32-96";
    made.scale_every = 1;
    return made;
  };
  check_resumes_to_the_bit(options, 3, 6);
  CHECK(graph_of(options("stopped").out).side == 64);
}

TEST_CASE("a step at another side is what a network of that side does") {
  RunBench bench;
  FitOptions drawn = bench.options("drawn", 1), fixed = bench.options("fixed", 1);
  drawn.multi_scale = "96-96";
  drawn.anchors = "12,12,24,24,36,36,48,48,60,60,72,72";
  fixed.input_size = 96;
  fixed.anchors = "8,8,16,16,24,24,32,32,40,40,48,48";  // 1.5 times these at 96
  Trainer{drawn}.run();
  Trainer{fixed}.run();
  CHECK(graph_of(drawn.out).anchors == graph_of(fixed.out).anchors);
  CHECK(graph_of(drawn.out).side == 64);
  check_same_tensors(drawn.out / "last.safetensors", fixed.out / "last.safetensors");
}

TEST_CASE("--multi-scale: 2 ranks train at the sides of one") {
  RunBench bench({.train = 8, .val = 0});
  const auto loss_of = [&](int ranks) {
    FitOptions options = bench.options(std::to_string(ranks), 2);
    options.multi_scale = "32-96";
    options.scale_every = 1;
    options.sync_batch_norm = true;
    return loss_on_ranks(ranks, options);
  };
  CHECK(loss_of(2) == doctest::Approx(loss_of(1)).epsilon(5e-3));
}

TEST_CASE("a classifier takes one side only") {
  RunBench bench({.side = 32, .train = 8, .val = 2, .whole_pictures = true});
  FitOptions options = bench.options("run", 1);
  options.model = "minigooglenet";
  options.multi_scale = "32-64";
  check_error(Exit::configuration,
              "--multi-scale 32-64: minigooglenet gives whole pictures of side 32 a class and "
              "takes no other side; leave the flag out",
              [&] { Trainer{options}; });
  options.out = bench.dir / "larger";
  options.multi_scale = "none";
  options.input_size = 64;
  CHECK(Trainer(options).run().done.step == 2);
  CHECK(graph_of(options.out).side == 64);
  // The store's side may be none of the model's.
  RunBench large({.side = 256, .train = 4, .val = 1, .whole_pictures = true});
  FitOptions shrunk = large.options("run", 1);
  shrunk.model = "minigooglenet";
  check_error(Exit::configuration, "side is 256, must be 32 to 224", [&] { Trainer{shrunk}; });
  shrunk.input_size = 32;
  shrunk.out = large.dir / "shrunk";
  CHECK(Trainer(shrunk).run().done.step == 1);
}
