#include "trainer/fit/memorised_views.h"

#include "tests/trainer/fit/run_bench.h"

using namespace letterpress;

TEST_CASE("views that will be seen more than five times are reported, with how many are needed") {
  CHECK_FALSE(note_of_few_views({.epochs = 22, .clean_epochs = 2}, 4));
  CHECK_FALSE(note_of_few_views({.epochs = 100}, 0));
  CHECK(
      note_of_few_views({.epochs = 40}, 4).value_or("") ==  // 36 of them augmented
      "each of a picture's 4 augmented views will be seen 9 times in 36 epochs; what is seen more "
      "than 5 times may be learned by heart: build the store with --views 12 or so, or train with "
      "--snapshot follow --refresh 1");
  CHECK_FALSE(note_of_few_views({.snapshot = "follow", .epochs = 40}, 4));
}

TEST_CASE(
    "a training that knows its views by heart, not the clean pictures, says so once and goes on to "
    "the bit") {
  // What the views say of a picture does not hold for its clean row.
  RunBench bench({.side = 32,
                  .train = 24,
                  .val = 0,
                  .views = 1,
                  .views_relabelled = true,
                  .whole_pictures = true});
  const auto options_of = [&](const std::string& run) {
    FitOptions options = bench.options(run, 10);
    options.model = "narrow-minigooglenet";
    options.batch = 8;
    options.ema = 0;
    return options;
  };
  Trainer(options_of("once")).run();
  CHECK(std::count_if(bench.notes.begin(), bench.notes.end(), [](const std::string& note) {
          return note.starts_with("memorised: after epoch ") &&
                 note.find(" the loss on 24 clean pictures is ") != std::string::npos &&
                 note.ends_with(
                     "; build the store with more --views, or train with --snapshot follow "
                     "--refresh 1");
        }) == 1);
  CHECK(bench.noted("a picture's augmented view will be seen 9 times in 9 epochs"));
  check_resumes_to_the_bit(options_of, 13, 30);
}

TEST_CASE("a training that knows views as little as clean pictures has memorised nothing") {
  RunBench bench({.side = 32, .train = 24, .val = 0, .views = 1, .whole_pictures = true});
  FitOptions options = bench.options("run", 4);
  options.model = "narrow-minigooglenet";
  options.batch = 8;
  options.lr = 1e-9;
  Trainer(options).run();
  CHECK_FALSE(bench.noted("memorised"));
  CHECK_FALSE(bench.noted(" will be seen "));
}
