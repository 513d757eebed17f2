// Pictures that come more often: of rare classes, and those without boxes that have a large loss.
#include <map>
#include <nlohmann/json.hpp>

#include "tests/trainer/fit/train_on_ranks.h"
#include "trainer/fit/evaluation/picture_losses.h"
#include "trainer/fit/step/run_model.h"

using namespace letterpress;

namespace {

const DrawnStore kOdd{
    .train = 8, .val = 2, .views = 2, .odd = 3, .class_names = {"red", "green", "blue", "black"}};
const DrawnStore kBackgrounds{.train = 12, .val = 2, .views = 2, .backgrounds = 4};

std::vector<std::uint32_t> losses_in(const std::filesystem::path& run) {
  return nlohmann::json::parse(read_checkpoint(run / "last.safetensors", true).info.state_json)
      .at("background_losses")
      .get<std::vector<std::uint32_t>>();
}

}  // namespace

TEST_CASE("--sample balanced: the picture of a rare class comes as often as its factor says") {
  RunBench bench(kOdd);
  FitOptions options = bench.options("run", 6);
  options.sample = "balanced";
  options.rare_below = 0.5;  // one picture in 8: sqrt(0.5 / 0.125) = 2 times
  std::map<std::string, int> times;
  const Store store = Store::open(bench.dir / "store");
  const SnapshotReader reader(store, store.snapshot(1));
  options.hooks.fed = [&](std::int64_t, const std::vector<RowPlace>& places) {
    for (const RowPlace& place : places) ++times[reader.shard(place.shard).name(place.row)];
  };
  const FitResult result = Trainer(options).run();
  CHECK(
      bench.noted("--sample balanced: classes in fewer than 50.0 % of the pictures count as "
                  "rare: black (12.5 %) 2.00 times"));
  int all = 0;
  for (const auto& [name, n] : times) {
    CHECK(n >= 6);
    all += n;
  }
  CHECK(all == 4 * result.done.step);
  CHECK(times.size() == 8);
  // Six epochs, and what the last step has beyond them.
  CHECK(times.at("train3.png") >= 12);
  CHECK(times.at("train3.png") <= 13);
  options.resume = true;
  options.sample = "all";
  options.rare_below = 0;
  CHECK_THROWS_WITH_AS(
      Trainer(options).run(),
      doctest::Contains("--sample is \"all\", was \"balanced\" when the run was begun"), Error);
}

TEST_CASE("balanced with hard negatives: a SIGTERM and a resumed run make the same, bit for bit") {
  RunBench bench(kBackgrounds);
  const auto options = [&](const std::string& run) {
    FitOptions made = bench.options(run, 4);
    made.sample = "balanced";
    made.rare_below = 1;
    made.hard_negatives = 0.25;
    return made;
  };
  const std::int64_t steps = Trainer(options("long")).run().done.step;
  check_resumes_to_the_bit(options, steps / 2, steps);
  CHECK(losses_in(bench.dir / "straight") == losses_in(bench.dir / "stopped"));
  CHECK(bench.noted("--hard-negatives: 4 pictures have no boxes; an epoch has "));
}

TEST_CASE("--hard-negatives: the share of an epoch goes to pictures without boxes") {
  RunBench bench(kBackgrounds);
  FitOptions options = bench.options("run", 3);
  options.hard_negatives = 0.25;
  std::map<std::string, int> times;
  const Store store = Store::open(bench.dir / "store");
  const SnapshotReader reader(store, store.snapshot(1));
  options.hooks.fed = [&](std::int64_t, const std::vector<RowPlace>& places) {
    for (const RowPlace& place : places) ++times[reader.shard(place.shard).name(place.row)];
  };
  CHECK(Trainer(options).run().done.step == 12);  // 12 pictures and 4 places, four to a step
  CHECK(bench.noted("an epoch has 16 places for 12 pictures"));
  int further = 0;
  for (const auto& [name, n] : times) {
    CHECK(n >= 3);
    const bool is_background = std::stoi(name.substr(5)) >= 8;
    if (is_background) further += n - 3;
    if (!is_background) CHECK(n == 3);
  }
  CHECK(further == 12);
  const auto losses = losses_in(options.out);
  REQUIRE(losses.size() == 4);
  for (const std::uint32_t loss : losses) CHECK(loss > 0);
}

TEST_CASE("what is measured is the loss of the clean rows with the weights to use") {
  RunBench bench(kBackgrounds);
  FitOptions options = bench.options("run", 1);
  options.hard_negatives = 0.25;
  Trainer(options).run();
  const Checkpoint checkpoint = read_checkpoint(options.out / "best.safetensors");
  Network network(checkpoint.info.graph);
  load_weights(network, checkpoint);
  const Store store = Store::open(bench.dir / "store");
  const SnapshotReader reader(store, store.snapshot(1));
  std::vector<PictureRows> backgrounds;
  for (const PictureRows& picture : reader.pictures("train"))
    if (reader.shard(picture.clean.shard).box_count(picture.clean.row) == 0)
      backgrounds.push_back(picture);
  const RunModel model(checkpoint.info.graph, options, torch::kCPU);
  const auto wanted = picture_losses(network, model.loss(), reader, backgrounds, {}).value();
  const auto losses = losses_in(options.out);
  REQUIRE(losses.size() == wanted.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    CHECK(losses[i] == doctest::Approx(1000 * wanted[i].loss).epsilon(0.01));
}

TEST_CASE("two ranks measure what one does, and read the same rows of an epoch") {
  RunBench bench(kBackgrounds);
  FitOptions options = bench.options("alone", 2);
  options.hard_negatives = 0.25;
  options.freeze = "all-but-head";
  options.ema = 0;
  const FitResult alone = train_on(1, options);
  options.out = bench.dir / "two";
  options.sync_batch_norm = true;
  CHECK(train_on(2, options).done.step == alone.done.step);
  const auto one = losses_in(bench.dir / "alone"), two = losses_in(bench.dir / "two");
  REQUIRE(one.size() == 4);
  REQUIRE(two.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(two[i] == doctest::Approx(static_cast<double>(one[i])).epsilon(0.01));
}

TEST_CASE("weights follow the losses; what was not measured yet counts as their mean") {
  RunBench bench(kBackgrounds);
  const Store store = Store::open(bench.dir / "store");
  FitOptions options = bench.options("run", 3);
  options.hard_negatives = 0.25;
  Run run{.options = options,
          .store = store,
          .pictures = open_pictures(store, store.snapshot(1), options, 0)};
  REQUIRE(run.pictures.repeated.backgrounds.size() == 4);
  const auto weights = [&] {
    std::vector<std::uint32_t> found;
    for (const std::size_t i : run.pictures.repeated.backgrounds)
      found.push_back(run.repeats().weights.at(i));
    return found;
  };
  CHECK(weights() == std::vector<std::uint32_t>{1, 1, 1, 1});
  run.done.background_losses = {5, 0, 0, 25};
  CHECK(weights() == std::vector<std::uint32_t>{5, 15, 15, 25});
  CHECK(run.repeats().weights.size() == 12);
  CHECK(run.repeats().share == 0.25);
}

TEST_CASE("--hard-negatives wants pictures without boxes, and no classifier") {
  RunBench bench;
  FitOptions options = bench.options("run", 2);
  options.hard_negatives = 0.2;
  check_error(Exit::configuration,
              "--hard-negatives: all 8 pictures of split 'train' have objects; leave it out, "
              "or add pictures without any",
              [&] { Trainer{options}; });
  RunBench pictures({.side = 32, .train = 8, .val = 2, .whole_pictures = true});
  options = pictures.options("run", 2);
  options.model = "minigooglenet";
  options.hard_negatives = 0.2;
  check_error(Exit::configuration, "--hard-negatives: all 8 pictures", [&] { Trainer{options}; });
}
