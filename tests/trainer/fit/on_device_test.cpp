#include <doctest/doctest.h>

#include "tests/trainer/fit/train_on_ranks.h"

using namespace letterpress;

namespace {

bool same_weights(const std::filesystem::path& a, const std::filesystem::path& b) {
  const Checkpoint first = read_checkpoint(a / "last.safetensors"),
                   second = read_checkpoint(b / "last.safetensors");
  for (const auto& [name, tensor] : first.tensors)
    if (!torch::equal(tensor, second.tensors.at(name))) return false;
  return true;
}

std::filesystem::path trained(RunBench& bench, const std::string& run,
                              const std::string& operations, int clean_epochs) {
  FitOptions options = bench.options(run, 2);
  options.on_device = operations;
  options.clean_epochs = clean_epochs;
  Trainer(options).run();
  return options.out;
}

}  // namespace

TEST_CASE(
    "--on-device: 6 steps are 3, a SIGTERM and 3 resumed ones, bit for bit, with every operation") {
  RunBench bench;
  const auto options = [&](const std::string& run) {
    FitOptions made = bench.options(run, 3);
    made.on_device = "flip,affine,hsv,paste,mosaic,mixup";
    made.accumulate = 2;
    return made;
  };
  check_resumes_to_the_bit(options, 3, 6);
  CHECK(
      bench.noted("on the device: flip,affine,hsv,paste,mosaic,mixup; clean epochs at the end: 1"));
}

TEST_CASE(
    "each operation changes what is learnt, but nothing in the last epochs, which are clean") {
  RunBench bench({.train = 8, .val = 0, .views = 2});
  const auto plain = trained(bench, "plain", "none", 1);
  for (const std::string name : {"affine", "flip", "hsv", "mosaic", "mixup"}) {
    CAPTURE(name);
    CHECK_FALSE(same_weights(plain, trained(bench, name, name, 1)));
  }
  CHECK(same_weights(trained(bench, "clean", "none", 2),
                     trained(bench, "left", "flip,affine,hsv,paste,mosaic,mixup", 2)));
}

TEST_CASE("paste changes what is learnt where pictures are not as grey as the frame") {
  RunBench bench({.train = 8, .val = 0, .views = 2, .ground = 60});
  CHECK_FALSE(
      same_weights(trained(bench, "plain", "none", 1), trained(bench, "paste", "paste", 1)));
}

TEST_CASE("paste goes by the classes of the snapshot that was taken up, resumed or not") {
  DrawnStore drawn{.train = 8, .val = 0, .views = 2, .ground = 60};
  drawn.boxes_per_class = {{"red", 100}, {"green", 1}, {"blue", 1}};
  RunBench bench(drawn);
  drawn.train = 15;
  drawn.boxes_per_class = {{"red", 1}, {"green", 100}, {"blue", 1}};
  const auto options_of = [&](const std::string& run) {
    const std::filesystem::path store = bench.dir / ("store of " + run);
    std::filesystem::copy(bench.dir / "store", store, std::filesystem::copy_options::recursive);
    FitOptions options = bench.options(run, 5);
    options.store = store;
    options.clean_epochs = 0;
    options.on_device = "paste";
    options.snapshot = "follow";
    options.hooks.before_step = [store, drawn](std::int64_t step) {
      if (step == 2) drawn.publish(store);
    };
    return options;
  };
  const FitOptions straight = options_of("straight");
  FitOptions stopped = options_of("stopped");
  Trainer(straight).run();
  train_until(stopped, 7);
  stopped.resume = true;
  Trainer(stopped).run();
  check_same_tensors(straight.out / "last.safetensors", stopped.out / "last.safetensors");
}

TEST_CASE("flip, hsv and affine: 2 ranks see what one sees, also in parts") {
  RunBench bench({.train = 8, .val = 0, .views = 2});
  const auto loss_of = [&](const std::string& run, int ranks, int parts,
                           const std::string& operations) {
    FitOptions options = bench.options(run, 1);
    options.on_device = operations;
    options.clean_epochs = 0;
    options.accumulate = parts;
    options.freeze = "all-but-head";
    options.ema = 0;
    options.sync_batch_norm = ranks > 1;
    return loss_on_ranks(ranks, options);
  };
  const double plain = loss_of("plain", 1, 1, "none"),
               alone = loss_of("alone", 1, 1, "flip,hsv,affine");
  CHECK(plain != alone);
  CHECK(loss_of("ranks", 2, 1, "flip,hsv,affine") == doctest::Approx(alone).epsilon(1e-4));
  CHECK(loss_of("parts", 1, 2, "flip,hsv,affine") == doctest::Approx(alone).epsilon(1e-4));
}

TEST_CASE("a classifier's pictures are mirrored and coloured, not mixed") {
  RunBench bench({.side = 32, .train = 8, .val = 2, .whole_pictures = true});
  FitOptions options = bench.options("run", 2);
  options.model = "minigooglenet";
  options.on_device = "flip,mosaic";
  check_error(Exit::configuration,
              "--on-device flip,mosaic: mosaic makes one picture of several, minigooglenet gives "
              "each a class; leave mosaic out",
              [&] { Trainer{options}; });
  options.out = bench.dir / "other";
  options.on_device = "flip,hsv";
  CHECK(Trainer(options).run().done.step == 4);
}
